"""Findings of fixtures/versions/programs/tied_sizes.py, whose docstring has the number of compiles with each fix."""

from types import SimpleNamespace

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture
from tlparse_bundle.statements import tied_sizes
from tlparse_bundle.statements.export_calls import Frame


@pytest.fixture
def found(rows):
    return rows("tied_sizes")


def specializations(found):
    return [row for row in found if row["kind"] == "specialization"]


@pytest.mark.parametrize(
    ("cause", "saved"),
    [
        ("`weighted` recompiled twice: `x.size(0)`", "This would avoid at least 2 of 4 compiles"),
        ("`scored` recompiled twice: `q.size(0)`", "This would avoid at least 2 of 4 compiles"),
        ("`bagged` recompiled twice: `items.size(0)`", "This would avoid at least 2 of 4 compiles"),
        ("`classified` recompiled once: `logits.size(0)`", "This would avoid at least 2 of 4 compiles"),
        ("`attended` recompiled twice: `q.size(2)`", "This would avoid at least 1 of 4 compiles"),
        ("`stacked` recompiled twice: `parts[0].size(0)`", "This would avoid at least 2 of 4 compiles"),
        ("`viewed` recompiled twice: `x.size(0)`", "This would avoid at least 2 of 4 compiles"),
        (
            "`grouped` recompiled once: `count` changed from `4` to `3`",
            "This would avoid at least 1 of 3 compiles",
        ),
        ("`matched` recompiled once: `x.size(0)`", "This would avoid 1 of 2 compiles"),
    ],
)
def test_a_size_that_another_tensor_has_as_a_constant_can_be_dynamic(found, cause, saved):
    (fix,) = advice(of(found, cause))
    assert fix.startswith("Use `torch.compile(dynamic=True)`") and saved in fix


def test_the_tensor_that_has_the_size_as_a_constant_is_named(found):
    rows = {
        row["title"].split("` in `")[-1].split(" in `")[-1].strip("`"): row for row in specializations(found)
    }
    perhaps = {name: row["text"].partition(", perhaps ")[2] for name, row in rows.items()}
    named = {name: names.partition(".\n")[0] for name, names in perhaps.items() if names}
    assert "`x.size(0)` was specialized to 8 in `weighted`" in {row["title"] for row in rows.values()}
    for function, tensor in (
        ("weighted", "weights"),
        ("scored", "keys"),
        ("bagged", "weights"),
        ("classified", "labels"),
        ("attended", "mask"),
        ("viewed", "mask"),
    ):
        assert named[function].endswith(f"`{tensor}`"), named
        mark = f"or mark these and the matching sizes of {named[function]} as dynamic."
        assert advice(rows[function]) == [f"Use `torch.compile(dynamic=True)`, {mark}"]


def test_compiled_code_cannot_mark_what_it_passes(found):
    (fix,) = of(found, "`forward` recompiled once: `x.size(0)`")["remedies"]
    assert fix["code"] is None and fix["text"].startswith("Use `torch.compile(dynamic=True)`")
    assert "1 of 2 compiles" in fix["text"]


def test_a_local_after_a_graph_break_cannot_be_marked(found):
    (row,) = [row for row in specializations(found) if "continued" in row["title"]]
    assert "`doubled.size(0)` was specialized to 6" in row["title"] and row["remedies"] == []


def test_a_size_that_the_code_compares_needs_the_constant(found):
    (fix,) = advice(of(found, "`halves` recompiled once: `x.size(0)`"))
    assert "the program specialized it at `program.py:38`. Change that code" in fix


def test_a_mark_of_one_of_both_is_no_fix(built, root):
    (log,) = built(root / "fixtures/versions/2.13.0/tied_sizes.log.zst").logs
    tied = {
        row["id"]
        for row in log.table("code_objects")
        if row["function"] in ("weighted", "matched", "scored", "bagged")
    }
    rows = [row for row in log.table("recompile_fixes") if row["code_object"] in tied and row["avoided"]]
    fixes = [row["fix"] for row in rows]
    assert fixes.count("dynamic_true") == len(tied)
    assert set(fixes) == {"dynamic_true", "few_values"}  # without the other tensor, the size is dynamic


def test_a_size_follows_from_the_line_that_made_it_a_constant_first(monkeypatch):
    """A multiplication meets a result whose size a loop specialized before."""
    stacks = {
        1: [Frame("m.py", 3, "f")],
        2: [Frame("torch/_refs.py", 9, "g"), Frame("torch/_refs.py", 5, "infer_size")],
    }
    monkeypatch.setattr(tied_sizes, "stack", lambda facts, id_: stacks[id_])
    row = {"compile": "0/1", "attempt": 0, "value": "7"}
    rows = [{**row, "event": 1, "stack": 1}, {**row, "event": 2, "stack": 2}, {**row, "event": 3, "stack": 1}]
    facts = SimpleNamespace(table=lambda name: rows)
    assert [tied_sizes.origin(facts, one)["event"] for one in rows] == [1, 1, 3]
    rows[0]["value"] = "4"
    assert tied_sizes.origin(facts, rows[1])["event"] == 2
