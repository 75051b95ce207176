"""Compared cold and warm starts of vLLM: real logs, the first statement, and forbidden ones."""

import json

import jsonschema
import pytest
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.runs.compare.document import compare


@pytest.fixture
def compared(built, root):
    def of(base, new):
        document = compare(*([(name, built(root / "fixtures" / "vllm" / name))] for name in (base, new)))
        jsonschema.validate(json.loads(json.dumps(document)), schema("comparison"))
        return document["summary"]["text"], document["logs"][0]["changes"]

    return of


def test_why_a_warm_start_compiled(compared, root):
    text, changes = compared("llama-jit-cold", "llama-jit-warm")
    assert text in " ".join((root / "docs" / "how-to" / "vllm.md").read_text(encoding="utf-8").split())
    assert (
        text
        == "48.6 s less compile time (57.4 s → 8.76 s): vLLM loaded 10 pieces that the base run compiled. 1"
        " other change."
    )
    roots = {
        change["title"]: [led["title"] for led in changes if led["because_of"] == index]
        for index, change in enumerate(changes)
        if change["because_of"] is None
    }
    assert list(roots) == [
        "vLLM loaded 10 pieces that the base run compiled: 2.01 s, was 53.4 s",
        "vLLM compiled `submod_4` for 1–64 tokens that the base run reused: 3.61 s, was 83.1 ms",
    ]
    assert (
        "`forward` [0/0] takes 8.76 s to compile, was 57.4 s"
        in roots["vLLM loaded 10 pieces that the base run compiled: 2.01 s, was 53.4 s"]
    )
    assert "may not save it under the name of this piece" in next(
        change["text"] for change in changes if change["kind"] == "vllm" and change["change"] == "worse"
    )
    assert not [change for change in changes if change["kind"] == "code"], (
        "loaded code is not in this log, so it is not reported as different"
    )


def test_code_that_was_loaded_ahead_of_time(compared):
    """Its pieces have no names in the log of the warm start, so they are matched by their code.

    Pieces that reused code have none.
    """
    text, changes = compared("llama-cold", "llama-warm")
    assert (
        text == "vLLM loaded 10 pieces that the base run compiled: 17.9 s, was 43 s for all pieces (−25 s)."
    )
    assert [change["kind"] for change in changes if change["because_of"] is None] == ["vllm"]
    assert changes[0]["details"]["pieces"][:2] == ["`submod_2` for 1 token", "`submod_4` for 8 tokens"]
    text, changes = compared("llama-warm", "llama-cold")
    assert text.startswith(
        "vLLM compiled 10 pieces that the base run loaded from the cache: 43 s, was 17.9 s"
    )
    assert changes[0]["severity"] == "warning"


def test_ranks_are_compared_each_with_its_own(built, root):
    document = compare(
        *([(name, built(root / "fixtures" / "vllm" / name))] for name in ("llama-tp2-cold", "llama-tp2-warm"))
    )
    assert [
        [change["title"].partition(":")[0] for change in log["changes"] if change["because_of"] is None]
        for log in document["logs"]
    ] == [["vLLM loaded 10 pieces that the base run compiled"]] * 2


def test_a_function_that_is_compiled_ahead_of_time_now_is_not_gone(compared):
    _, changes = compared("llama-jit-cold", "llama-cold")
    assert (
        changes[0]["title"] == "vLLM compiles ahead of time, was at the first call of the model: 45.1 s, was"
        " 57.4 s"
    )
    assert not [change for change in changes if change["kind"] == "compile"]


def test_other_sizes_are_the_reason_of_other_pieces(compared):
    _, changes = compared("llama-cold", "qwen3-ranges")
    titles = [change["title"] for change in changes]
    assert {
        "vLLM's `compile_sizes` is `4`, was `1, 8`",
        "vLLM's `compile_ranges_endpoints` is `16, 32, 64`, was `64`",
        "vLLM's `model` is `tiny-qwen3`, was `tiny-llama`",
    } <= set(titles)
    pieces = [change for change in changes if change["kind"] == "vllm"]
    assert sorted(change["change"] for change in pieces) == ["gone", "new"]
    assert {changes[change["because_of"]]["title"] for change in pieces} == {
        "vLLM's `model` is `tiny-qwen3`, was `tiny-llama`"
    }


@pytest.mark.parametrize("name", ["llama-cold", "llama-warm", "llama-jit-warm", "llama-fail", "qwen3-ranges"])
def test_the_same_start_has_no_changes(compared, name):
    assert compared(name, name)[1] == []


def test_a_log_without_vllm_has_no_pieces(built, root):
    bundles = [built(root / "fixtures" / name) for name in ("vllm/llama-jit-cold", "recompiles/trace")]
    document = compare([("a", bundles[0])], [("b", bundles[1])])
    assert not [change for log in document["logs"] for change in log["changes"] if change["kind"] == "vllm"]
