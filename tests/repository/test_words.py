"""scripts/lint-words finds each outdated habit, in all kinds of prose."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader

import pytest
import traces

SCRIPT = traces.ROOT / "scripts" / "lint-words"
# A sentence for each habit, and a plain one with the same meaning.
HABITS = [
    ("Passwd is no trace log.", "`passwd` is not a TORCH_TRACE log."),
    ("The log tells nothing of graph breaks.", "The log does not record graph breaks."),
    ("Untold times are null.", "Times that are not recorded are null."),
    ("It was said in the log.", "The log reported it."),
    ("It was compiled anew.", "It was recompiled."),
    ("It was built once more.", "It was rebuilt."),
    ("`f` was compiled again.", "`f` recompiled."),
    ("The record behind it.", "The record after it."),
    ("On rank 2 it compiled to another graph.", "On rank 2, Dynamo captured a different graph."),
    ("It has other values.", "It has different values."),
    ("A new shape makes a compile.", "A new shape triggers a recompile."),
    ("This makes a table of it.", "This builds a table from it."),
    ("The compiles, of which there are three.", "Three compiles."),
    ("What is compiled for the first time misses.", "A first compile misses the cache."),
    ("The size, as the log has it.", "The size in the log."),
    ("It is sorted so that the order is no accident.", "It is sorted, so the order is stable."),
    ("What vLLM does before, it does not write.", "vLLM does not log what it does before."),
    ("Of graph breaks the log has none.", "The log has no graph breaks."),
    ("There was no entry.", "Cache miss."),
    ("It is kept for ever.", "It is kept permanently."),
    ("Sizes 0 and 1 are special all the same.", "Sizes 0 and 1 are still specialized."),
    ("It runs eager from there on.", "It runs eager from then on."),
    ("It may be there later only.", "It may not exist yet."),
]
# Sentences of the product before they were rewritten.
BEFORE = [
    "32 compiles of 8 functions in 27.3 s: 23 recompiles for 11 reasons and 1 value that became constant.",
    "`limit` was compiled again 7 times: `k` changed ('k' → 'kk' → … → 'kkkkkkk'; 7 values → …)",
    "it runs uncompiled from there on where no earlier result fits",
    "Time of 31 spans of that name, without the spans in them.",
    "What is compiled for the first time misses; a second run with the same cache should not.",
    "The sizes 0 and 1 have a compile of their own all the same.",
    "30 misses of the FX graph cache: there was no entry",
    "attempts thrown away at the break",
    "No change that is more than what runs vary by.",
    "Rank 2 compiled `local` [1/0] (its 2nd compile) to another graph of Dynamo",
    "7 ranks (the logs tell of a job of 2)",
    "A trace holds source code and paths: mind to whom you give it.",
    "Passwd is no trace log: its beginning holds no record.",
    "What a log tells of the run that it is of.",
    "`f` made another compile",
]


@pytest.fixture(scope="module")
def lint():
    spec = importlib.util.spec_from_loader("lint_words", SourceFileLoader("lint_words", str(SCRIPT)))
    module = importlib.util.module_from_spec(spec)
    sys.modules["lint_words"] = module  # its named tuple looks itself up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("before", "after"), HABITS)
def test_each_habit_is_found(lint, before, after):
    assert [*lint.habits(before)]
    assert not [*lint.habits(after)]


@pytest.mark.parametrize("sentence", BEFORE)
def test_old_sentences_are_found(lint, sentence):
    assert [*lint.habits(sentence)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "# Title\n\nThis is\nno log.\n"),
        ("module.py", '"""Passwd is no log."""\n'),
        ("module.py", "# This is\n# no log\n"),
        ("module.py", 'say(f"{name} is no log")\n'),
        ("module.py", 'say(\n    "This is"\n    " no log"\n)\n'),
        ("module.js", "/** This is no log. */\n"),
        ("module.js", "// This is\n// no log\n"),
        ("module.js", 'say("This is no log");\n'),
        ("module.js", "say(`${name} is no log`);\n"),
        ("page.html", "<p>This is no log.</p>"),
        ("schema/x.json", '{"description": "This is no log."}'),
        ("style.css", "/* This is no log. */"),
        ("workflow.yml", "# This is no log.\nname: x\n"),
        ("scripts/tool", "#!/usr/bin/env bash\n# This is no log.\n"),
    ],
)
def test_prose_is_found_in_every_kind_of_file(lint, tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert [phrase.instead for phrase in lint.phrases_of(path)] == ["is not a"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.md", "```\nThis is no log.\n```\n`it is no log`\n"),
        ("module.py", "told = anew = behind\n"),
        ("module.js", "told = anew(behind);\n"),
        ("image.png", "This is no log."),
    ],
)
def test_code_is_not_prose(lint, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert lint.phrases_of(tmp_path / name) == []


def test_the_line_is_that_of_the_phrase(lint, tmp_path):
    (tmp_path / "page.md").write_text("# Title\n\nA log.\nThis is no log.\n")
    (phrase,) = lint.phrases_of(tmp_path / "page.md")
    assert (phrase.line, phrase.phrase) == (4, "is no")
