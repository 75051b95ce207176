"""Jobs of 64 ranks with one guilty copy: the headline names it, and no other rank.

`python tests/multiplied_jobs.py CASE RANKS FOLDER` makes such a job of any case, and of any size.
"""

import multiplied_jobs
import pytest
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.statements.ranks import graphs
from tlparse_bundle.statements.ranks.rank_sets import ranks_in


@pytest.mark.parametrize(
    "case", ["order_circle", "mesh_2x2x2_extra", "wrong_op", "other_options", "moe_splits", "ring_wrong_peer"]
)
def test_the_guilty_rank_of_64_is_named(case, tmp_path):
    (tmp_path / "trace").mkdir()
    truth = multiplied_jobs.multiply(case, 64, tmp_path / "trace")
    build(discover([tmp_path / "trace"]), tmp_path / "out", codec="none", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    first = bundle.rank_table("rank_findings")[0]
    accused = {*ranks_in(first["ranks"]), *(ranks_in(first["others"]) if case == "mesh_2x2x2_extra" else ())}
    assert accused.issuperset(truth["guilty"])
    assert all(f"{rank}" in bundle.job["text"] for rank in truth["guilty"])
    # Innocent ranks of the group lack the extra call, and of a pair of splits either end can be wrong.
    if case not in ("mesh_2x2x2_extra", "moe_splits"):
        assert accused == {*truth["guilty"]}


def test_roles_of_64_ranks_are_those_of_the_job(tmp_path):
    (tmp_path / "trace").mkdir()
    truth = multiplied_jobs.multiply("mesh_2x2x2", 64, tmp_path / "trace")
    build(discover([tmp_path / "trace"]), tmp_path / "out", codec="none", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert sorted(ranks_in(row["ranks"]) for row in bundle.rank_table("rank_roles")) == sorted(truth["roles"])
    assert bundle.job["structure"][0] == 2
    assert {row["severity"] for row in bundle.rank_table("rank_findings")} <= {"info"}


def test_more_constants_than_are_read_are_no_difference(monkeypatch, tmp_path):
    """Each rank of a ring has its neighbours' numbers in its graph."""
    monkeypatch.setattr(graphs, "MAX_SHOWN", 3)
    (tmp_path / "trace").mkdir()
    multiplied_jobs.multiply("ring", 12, tmp_path / "trace")
    build(discover([tmp_path / "trace"]), tmp_path / "out", codec="none", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert [row["kind"] for row in bundle.rank_table("rank_findings")] == ["rank-numbers"]
    assert bundle.job["text"].startswith("Ranks 0 to 11 agree on what was compiled")
