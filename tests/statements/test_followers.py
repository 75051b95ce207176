"""Recompiles that follow another in the same call: what findings say of them, and whose time a fix saves."""

import pytest
from findings_of_programs import of


@pytest.fixture
def log_of(built, root):
    return lambda path: built(root / "fixtures" / path).logs[0]


def times(log):
    return {row["compile"]: row["total_us"] for row in log.table("compiles")}


def fix_of(log, source):
    (row,) = (row for row in log.table("recompile_fixes") if row["source"] == source and row["fix"])
    return row


def test_a_local_of_the_same_name_has_the_same_cause(log_of):
    log = log_of("versions/2.13.0/hidden_reasons.log.zst")
    text = of(log.findings(), "`labelled` recompiled once: `x.size(0)`")["text"]
    assert text.startswith("In the same call, its resume function also recompiled, for `x.size(0)`.")
    (one,) = (row for row in log.table("recompiles") if row["follows"])
    assert one["compile"] is not None
    compile = times(log)
    (fix,) = (row for row in log.table("recompile_fixes") if row["avoided"] == [one["follows"]])
    assert compile[one["follows"]] < fix["saved_us"] < compile[one["follows"]] + compile[one["compile"]]


def test_whether_another_local_has_the_same_cause_is_not_known(log_of):
    """``y`` is computed from ``x``, but could be another argument."""
    log = log_of("pairs/nothing_changed/base")
    text = of(log.findings(), "`noisy` recompiled once: `x.size(0)`")["text"]
    assert text.startswith("In the same call, its resume function also recompiled, for `y.size(0)`.")
    (one,) = (row for row in log.table("recompiles") if row["follows"])
    compile, fix = times(log), fix_of(log, "L['x']")
    assert fix["avoided"] == [one["follows"]] and fix["saved_us"] <= compile[one["follows"]]
    assert fix["total_us"] == sum(compile[key] for key in ("0/0", "0/1"))
