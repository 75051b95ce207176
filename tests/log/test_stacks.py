"""The stack table: each stack once."""

from log_builder import log
from tlparse_bundle.log.stacks import StackTable

MAIN, F, G = ("main.py", 10, "<module>", "f()"), ("f.py", 2, "f", None), (None, 3, "g", None)


def test_a_stack_is_its_parent_and_a_frame():
    stacks = StackTable()
    row = stacks.intern([MAIN, F])
    assert stacks.innermost(row) == F
    assert stacks.innermost(stacks.parent(row)) == MAIN
    assert stacks.parent(stacks.parent(row)) == -1


def test_equal_stacks_and_equal_beginnings_are_stored_once():
    stacks = StackTable()
    first = stacks.intern([MAIN, F])
    assert stacks.intern([MAIN, F]) == first
    stacks.intern([MAIN, F, G])
    stacks.intern([MAIN, G])
    assert list(stacks.rows()) == [
        {"id": 0, "parent": None, "file": "main.py", "line": 10, "function": "<module>", "code": "f()"},
        {"id": 1, "parent": 0, "file": "f.py", "line": 2, "function": "f", "code": None},
        {"id": 2, "parent": 1, "file": None, "line": 3, "function": "g", "code": None},
        {"id": 3, "parent": 0, "file": None, "line": 3, "function": "g", "code": None},
    ]


def test_an_empty_stack_is_none():
    assert StackTable().intern([]) is None


def test_the_stacks_of_a_record_come_back_from_the_bundle(log_of):
    it = log_of(
        log("""
        str ["a.py", 0]
        str ["b.py", 1]
        guard_added 0/0 {"expr": "x", "stack": [{"line": 1, "name": "f", "filename": 0, "loc": "g()"}], "user_stack": [{"line": 2, "name": "g", "filename": 1}]}
        dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0, "loc": "g()"}, {"line": 3, "name": "h", "filename": -1, "uninterned_filename": "c.py"}]}
        """)
    )
    (guard,) = it.events(type="guard_added")
    value = guard.metadata["guard_added"]
    assert it.stack(value["stack_index"]) == [{"file": "a.py", "line": 1, "function": "f", "code": "g()"}]
    assert it.stack(value["user_stack_index"]) == [{"file": "b.py", "line": 2, "function": "g", "code": None}]
    assert [frame["file"] for frame in it.compile("0/0").stack] == ["a.py", "c.py"]
    assert [row["parent"] for row in it.table("stacks")] == [None, None, 0]
