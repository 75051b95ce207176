"""For every recompile of every log, our evaluation of the guards agrees with torch's reasons.

torch checks lengths of dicts and that items exist without a guard of their own, in the managers of the tree.
"""

import every_log
import pytest
from tlparse_bundle import Bundle

# Reasons that guards of the tree imply: an item exists, a dict has a length, a value is a function or a dict, a
# tensor has a dimension. The backend is compared before the tree, and an entry whose object was deallocated is not
# compared at all.
WITHOUT_GUARD = (
    "KeyError on ",
    "IndexError on ",
    "tuple index out of range",
    "len(",
    "CodeGuardAccessor: Not a function on ",
    "TYPE_MISMATCH(",
    "BACKEND_MATCH failure",
    "Cache line invalidated because ",
)


@pytest.mark.parametrize("group", every_log.NUMBERS)
def test_the_guards_that_torch_names_fail(group, group_bundle):
    for log in Bundle.open(group_bundle(group)).logs:
        assert "guard-disagreement" not in log.row["diagnostics"], log.id
        rows = {(row["event"], row["position"]): row for row in log.table("guard_failures")}
        trees = {tree["compile"] for tree in log.table("guard_trees")}
        for reason in log.table("recompile_reasons"):
            row = rows.get((reason["event"], reason["position"]))
            if row is None:  # the log lacks the guards of the entry, or which entry it is
                assert reason["entry"] not in trees or reason["position"] >= 64, (log.id, reason)
                continue
            is_without_guard = reason["guard"].startswith(WITHOUT_GUARD)
            assert row["guard"] in row["guards"] or (is_without_guard and row["guard"] is None), (
                log.id,
                reason,
            )
            assert row["entry"] == reason["entry"]


def test_all_guards_that_fail_are_found(built, root):
    """torch names `n == 2`; both sizes and the flag differ, too."""
    (log,) = built(root / "fixtures/calls/mixed").logs
    guards = log.table("guards")
    failures = {(row["compile"], row["entry"]): row for row in log.table("guard_failures")}
    row = failures["0/2", "0/0"]
    assert guards[row["guard"]]["text"] == "L['n'] == 2"
    assert {guards[id_]["source"] for id_ in row["guards"]} == {
        f"L['{name}']" for name in ("n", "x", "y", "flag")
    }
    assert row["is_input_known"] and not failures["0/16", "0/0"]["is_input_known"]


def test_the_input_of_a_compile(built, root):
    (log,) = built(root / "fixtures/calls/mixed").logs
    inputs = {row["source"]: row for row in log.table("call_inputs") if row["compile"] == "0/2"}
    assert (
        inputs["L['x']"]["known_from"] == "describe_tensor" and inputs["L['x']"]["dtype"] == "torch.float32"
    )
    assert (inputs["L['n']"]["value"], inputs["L['n']"]["known_from"]) == ("5", "create_symbol")
    assert (inputs["L['flag']"]["value"], inputs["L['flag']"]["kind"]) == ("True", "bool")
