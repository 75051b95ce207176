"""The graph break without which a compile would not exist."""

from types import SimpleNamespace

from tlparse_bundle.statements import after_breaks
from tlparse_bundle.statements.after_breaks import _Break, break_before

LINE = ("train.py", 9)
FUNCTIONS = ["wrapper", "forward", "wrapper", "<dictcomp>", "wrapper"]


def _facts(breaks):
    rows = enumerate(FUNCTIONS)
    return SimpleNamespace(
        compiles=[
            {"first_event": 10 * number, "file": "model.py", "function": name} for number, name in rows
        ],
        function_key=FUNCTIONS.__getitem__,
        once=lambda make: {LINE: breaks},
    )


def _called(monkeypatch, *frames):
    found = [SimpleNamespace(file=file, line=line, name=name) for file, line, name in frames]
    monkeypatch.setattr(after_breaks, "callers", lambda *_: found)


def test_a_break_counts_that_ended_a_different_function_after_the_same_one(monkeypatch):
    """A decorator of a library is the first function that Dynamo compiles for two of its functions."""
    _called(monkeypatch, (*LINE, "train"))
    of_model, of_dict = _Break(3, [0, 1, 2], ("graph-break", 0)), _Break(33, [3], ("graph-break", 1))
    facts = _facts([of_model, of_dict])
    assert break_before(facts, 4) == ("graph-break", 0)
    assert break_before(facts, 2) == ("graph-break", 0)
    assert break_before(facts, 1) == ("graph-break", 0)
    assert break_before(_facts([_Break(3, [0, 2], ("graph-break", 0))]), 4) is None


def test_a_break_in_another_function_that_the_line_calls_does_not_count(monkeypatch):
    breaks = [_Break(3, [1], ("graph-break", 0))]
    _called(monkeypatch, (*LINE, "train"), ("model.py", 30, "forward"))
    assert break_before(_facts(breaks), 4) == ("graph-break", 0)
    _called(monkeypatch, (*LINE, "train"), ("other.py", 30, "forward"))
    assert break_before(_facts(breaks), 4) is None
