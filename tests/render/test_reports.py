"""Findings and checks in each format, from made rows."""

import json
from types import SimpleNamespace
from xml.etree import ElementTree

import click
import pytest
from made_rows import CAUSE, EFFECT, OTHER, finding, outcome, remedy, section
from tlparse_bundle.render import github, junit, markdown, terminal
from tlparse_bundle.render import json as as_json


def plain(text):
    return click.unstyle(text).split("\n")


def test_one_log_in_the_terminal():
    text = terminal.report([section(CAUSE, EFFECT, OTHER)])
    assert plain(text) == [
        "The headline.",
        "",
        "✖ `f` recompiled twice",
        "  recompile · train.py:12 · 1.5 s: compile time",
        "  First line",
        "  second line.",
        "  Second paragraph.",
        "  → Do this.",
        "      mark_dynamic(x, 0)",
        "  → torch: Or that.",
        "  ↳ `g` recompiled (model.py:3)",
        "",
        "· A note",
        "  recompile",
    ]
    assert click.style("The headline.", bold=True) in text
    assert click.style("`f` recompiled twice", bold=True) in text
    assert click.style("A note", bold=False) in text and click.style("✖", fg="red") in text
    assert click.style("recompile", dim=True) in text
    assert click.style("mark_dynamic(x, 0)", fg="green") in text
    assert click.style("↳", fg="yellow") in text


def test_code_of_several_lines():
    row = finding(remedies=[remedy("Do both.", code="mark(a)\nmark(b)")])
    assert plain(terminal.report([section(row)]))[-3:] == ["  → Do both.", "      mark(a)", "      mark(b)"]
    assert "- Do both. `mark(a)` `mark(b)`" in markdown.report([section(row)])


def test_several_logs_in_the_terminal_have_names():
    sections = [section(name="all ranks"), section(CAUSE, name="rank 0 (x)", left_out=2)]
    text = terminal.report(sections, growing="Still growing.")
    lines = plain(text)
    assert lines[:6] == [
        "Still growing.",
        "",
        "all ranks: The headline.",
        "",
        "rank 0 (x): The headline.",
        "",
    ]
    assert lines[-2:] == ["", "2 more findings; --limit shows more"]
    assert click.style("all ranks: ", dim=True) in text
    assert click.style("2 more findings; --limit shows more", dim=True) in text
    assert plain(terminal.report([section(left_out=1)]))[-1] == "1 more finding; --limit shows more"


def test_long_texts_are_wrapped_to_the_terminal():
    words = "word " * 12
    row = finding(text=f"{words}\n    indented {words}", remedies=[remedy(words.strip())])
    lines = plain("\n".join(terminal.finding(row, 30)))
    assert max(map(len, lines)) <= 30
    assert "      indented word word word" in lines
    assert "  → word word word word word" in lines and "    word word word word word" in lines
    assert plain("\n".join(terminal.finding(finding(text="x-y" * 20), 30)))[2:] == ["  " + "x-y" * 20]
    sections = [section(CAUSE, finding(id=2, because_of=1, title=words.strip()))]
    lines = plain(terminal.report(sections, width=30))
    assert lines[-3:] == [
        "  ↳ word word word word word",
        "    word word word word word",
        "    word word (train.py:12)",
    ]


def test_an_effect_without_a_place_or_title():
    rows = [
        CAUSE,
        finding(id=2, because_of=1, file=None, line=None),
        finding(id=3, because_of=1, title="", file=None),
    ]
    assert plain(terminal.report([section(*rows)]))[-2:] == ["  ↳ `f` recompiled twice", "  ↳ "]


def test_markdown():
    assert markdown.report([section(CAUSE, EFFECT, OTHER)]).split("\n") == [
        "The headline.",
        "",
        "### ❌ `f` recompiled twice",
        "",
        "recompile · train.py:12 · 1.5 s (compile time)",
        "",
        "First line  ",
        "second line.",
        "",
        "Second paragraph.",
        "",
        "- Do this. `mark_dynamic(x, 0)`",
        "- torch: Or that.",
        "",
        "- ↳ `g` recompiled (model.py:3)",
        "",
        "### ℹ️ A note",
        "",
        "recompile",
    ]
    sections = [section(name="all ranks"), section(EFFECT, name="rank 0 (x)", left_out=1)]
    lines = markdown.report(sections, growing="Still growing.").split("\n")
    assert lines[:4] == ["**Still growing.**", "", "## all ranks", ""]
    assert "## rank 0 (x)" in lines and lines[-1] == "… 1 more finding"
    assert "↳ A note\n" in markdown.report([section(CAUSE, {**OTHER, "because_of": 1})]) + "\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b*` c*", r"a `b*` c\*"),
        ("a ` b", "a ' b"),
        ("`a` ` b", "`a` ' b"),
        ("user @me", "user `@me`"),
        ("at 12:34:56", "at 12:34:56"),
        ("a :skull:", "a `:skull:`"),
        ("- a", r"\- a"),
        ("1. a", r"1\. a"),
        ("1.5 a", "1.5 a"),
        ("  a", "a"),
    ],
)
def test_a_line_of_markdown(text, expected):
    assert markdown.rich(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a", "`a`"),
        ("a`b", "``a`b``"),
        ("a``b", "```a``b```"),
        ("`a", "`` `a ``"),
        ("a`", "`` a` ``"),
        (" a", "`  a `"),
        ("a ", "` a  `"),
    ],
)
def test_a_code_span(text, expected):
    assert markdown.code_span(text) == expected


def test_annotations_of_a_workflow():
    lines = github.report(
        [section(CAUSE, OTHER, name="x, y")], {"train.py": "src/train.py"}, growing="Growing."
    ).split("\n")
    assert lines == [
        "::notice title=still growing::Growing.",
        "::notice title=x%2C y::The headline.",
        "::error file=src/train.py,line=12,title=recompile::`f` recompiled twice%0ADo this.%0AOr that.",
        "::notice title=recompile::A note",
    ]
    assert github.report([section(EFFECT)], {}).split("\n")[1] == (
        "::warning file=model.py,line=3,title=recompile::`g` recompiled"
    )
    assert github.annotation("error", "a:b", "50 %", "c:\\d.py") == (
        "::error file=c%3A\\d.py,title=a%3Ab::50 %25"
    )


def test_places_are_files_of_the_repository(tmp_path):
    for path in (
        "src/a.py",
        "lib/a.py",
        "src/b.py",
        ".git/c.py",
        "node_modules/d.py",
        "deep/er/e.py",
        "f.py",
        "xf.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    files = ("a.py", "src/a.py", "b.py", "c.py", "d.py", "er/e.py", "f.py", "g.py", None, "")
    assert github.places_in(tmp_path, files) == {
        "src/a.py": "src/a.py",
        "b.py": "src/b.py",
        "er/e.py": "deep/er/e.py",
        "f.py": "f.py",
    }


def test_a_folder_with_too_many_files_has_no_places(tmp_path, monkeypatch):
    for name in ("a.py", "b.py"):
        (tmp_path / name).touch()
    monkeypatch.setattr(github, "_MAX_FILES", 2)
    assert github.places_in(tmp_path, ["a.py"]) == {"a.py": "a.py"}
    monkeypatch.setattr(github, "_MAX_FILES", 1)
    assert github.places_in(tmp_path, ["a.py"]) == {}


OUTCOMES = [
    outcome("passed", log="x", text="fine"),
    outcome("failed", CAUSE, OTHER, log="x"),
    outcome("failed"),
    outcome("unknown", rule="no-failures", text="not recorded"),
]


@pytest.mark.parametrize("allow_unknown", [False, True])
def test_a_check_in_the_terminal(allow_unknown):
    text = terminal.check(OUTCOMES, allow_unknown=allow_unknown)
    lines = plain(text)
    assert lines[:3] == [
        "✓ max-breaks · x: fine",
        "✖ max-breaks · x: 1 graph break, at most 0",
        "  ✖ `f` recompiled twice",
    ]
    assert "✖ max-breaks: 1 graph break, at most 0" in lines and "? no-failures: not recorded" in lines
    assert lines[-1] == (
        "2 of 4 checks failed. 1 unknown, allowed by --allow-unknown."
        if allow_unknown
        else "3 of 4 checks failed. 1 unknown, counted as failed (see --allow-unknown)."
    )
    for part in (
        click.style("max-breaks", bold=True),
        click.style("✓", fg="green"),
        click.style("?", fg="yellow"),
        click.style(" · x", dim=True),
        click.style(lines[-1], bold=True),
    ):
        assert part in text


def test_checks_that_pass():
    assert plain(terminal.check(OUTCOMES[:1], allow_unknown=False))[-1] == "1 check, none failed."


def test_an_outcome_shows_twenty_findings():
    for count in (20, 21):
        lines = plain("\n".join(terminal.outcome(outcome("failed", *[OTHER] * count))))
        assert sum("A note" in line for line in lines) == 20
        assert lines[-1].strip() == (
            "" if count == 20 else "1 more finding; tlparse-bundle report prints them."
        )


@pytest.mark.parametrize("allow_unknown", [False, True])
def test_a_check_as_annotations(allow_unknown):
    assert github.check(OUTCOMES, {"train.py": "src/train.py"}, allow_unknown=allow_unknown).split("\n") == [
        "::notice title=max-breaks · x::fine",
        "::error file=src/train.py,line=12,title=max-breaks · x::`f` recompiled twice%0ADo this.%0AOr that.",
        "::error title=max-breaks · x::A note",
        "::error title=max-breaks::1 graph break, at most 0",
        f"::{'warning' if allow_unknown else 'error'} title=no-failures::not recorded",
    ]


@pytest.mark.parametrize("allow_unknown", [False, True])
def test_a_check_as_junit(allow_unknown):
    text = junit.check([*OUTCOMES, outcome("passed", rule="a\x00\ufffe")], allow_unknown=allow_unknown)
    (suite,) = ElementTree.fromstring(text)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite ')
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {
        "tests": "5",
        "failures": "2",
        "errors": "0" if allow_unknown else "1",
        "skipped": "1" if allow_unknown else "0",
    }
    cases = [(case.get("classname"), case.get("name"), case[0].tag, case[0].get("message")) for case in suite]
    assert cases == [
        ("x", "max-breaks", "system-out", None),
        ("x", "max-breaks", "failure", "1 graph break, at most 0"),
        ("all logs", "max-breaks", "failure", "1 graph break, at most 0"),
        ("all logs", "no-failures", "skipped" if allow_unknown else "error", "not recorded"),
        ("all logs", r"a\x00", "system-out", None),
    ]
    assert suite[0][0].text == "fine" and suite[2][0].text is None
    assert suite[1][0].text.split("\n") == [
        "`f` recompiled twice (train.py:12)",
        "  -> Do this.",
        "  -> Or that.",
        "A note",
    ]


def test_a_check_as_json():
    document = as_json.check(OUTCOMES, allow_unknown=False)
    assert document["ok"] is False and as_json.check(OUTCOMES[:1], allow_unknown=False)["ok"] is True
    assert as_json.check(OUTCOMES[3:], allow_unknown=True)["ok"] is True
    assert [row["log"] for row in document["checks"]] == ["x", "x", None, None]
    assert [row["title"] for row in document["checks"][1]["findings"]] == ["`f` recompiled twice", "A note"]
    assert json.dumps(document) and "remedies" not in document["checks"][1]["findings"][0]


def test_a_report_as_json():
    log = SimpleNamespace(id="x", rank=3)
    sections = [section(CAUSE), section(OTHER, log=log)]
    document = as_json.report(sections, {})
    assert document == {
        "ok": True,
        "ranks": {"summary": {"text": "The headline."}, "findings": (CAUSE,)},
        "logs": [{"id": "x", "rank": 3, "summary": {"text": "The headline."}, "findings": (OTHER,)}],
    }
    manifest = {"growing": True, "live": {"logs": [{"id": "x", "running": ["a compile"]}]}}
    growing = as_json.report(sections, manifest, growing="Growing.")
    assert (growing["ok"], growing["growing"], growing["note"]) == (True, True, "Growing.")
    assert growing["logs"][0]["running"] == ["a compile"]
    assert as_json.report(sections, {}, growing="Growing.")["logs"][0]["running"] == []
    assert as_json.trend({"series": []}) == {"ok": True, "series": []}
