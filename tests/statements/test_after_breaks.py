"""The graph break without which a compile would not exist."""

from types import SimpleNamespace

from tlparse_bundle.statements import after_breaks
from tlparse_bundle.statements.after_breaks import _Break, break_before

LINE = ("train.py", 9)


def _facts(functions, breaks):
    return SimpleNamespace(
        compiles=[{"first_event": 10 * number} for number in range(len(functions))],
        function_key=functions.__getitem__,
        once=lambda make: {LINE: breaks},
    )


def test_a_break_counts_that_ended_a_different_function_after_the_same_one(monkeypatch):
    """A decorator of a library is the first function that Dynamo compiles for two of its functions."""
    monkeypatch.setattr(after_breaks, "callers", lambda *_: [SimpleNamespace(file=LINE[0], line=LINE[1])])
    monkeypatch.setattr(after_breaks, "is_of_program", lambda file: True)
    functions = ["wrapper", "forward", "wrapper", "<dictcomp>", "wrapper"]
    of_model, of_dict = _Break(3, [0, 1, 2], ("graph-break", 0)), _Break(33, [3], ("graph-break", 1))
    facts = _facts(functions, [of_model, of_dict])
    assert break_before(facts, 4) == ("graph-break", 0)
    assert break_before(facts, 2) == ("graph-break", 0)
    assert break_before(facts, 1) == ("graph-break", 0)
    assert break_before(_facts(functions, [_Break(3, [0, 2], ("graph-break", 0))]), 4) is None
