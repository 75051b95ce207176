"""Findings about the jobs of fixtures/parallel, whose ranks have roles.

A case in NOT_YET has a known fault of the comparison; a test fails when it is corrected, so that the list stays true.
"""

import re

import job_cases
import pytest
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate

# Healthy jobs with a warning or an error.
ALARMS = {
    "all_break",
    "first_rank_reports",
    "fsdp_tp",
    "mesh_2x2",
    "mesh_2x2x2",
    "mesh_2x4",
    "moe",
    "pp_forward",
    "pp_late",
    "rank_constants",
    "ring",
    "subgroup",
    "sweep",
    "tp_uneven",
    "uneven_batches",
    "vocabulary",
}
# Jobs of different programs that are called attempts of one job.
ATTEMPTS = {"jobs_in_parallel", "jobs_in_sequence"}
# Faults whose guilty rank or cause is not in the headline, or of which something is said that is not true.
FAULTS = {
    "all_fail",
    "extra_line",
    "fsdp_block_missing",
    "function_missing",
    "mesh_2x2x2_extra",
    "order_2x2",
    "order_2x4",
    "order_circle",
    "order_world",
    "other_batch",
    "other_dynamo_config",
    "other_options",
    "ring_wrong_peer",
    "wrong_dtype",
    "wrong_root",
}
NOT_YET = ALARMS | ATTEMPTS | FAULTS


def not_found(patterns, text):
    return [pattern for pattern in patterns if not re.search(pattern, text)]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.xfail(strict=True) if name in NOT_YET else [])
        for name in job_cases.NAMES
    ],
)
def test_what_is_said_is_true(name, tmp_path):
    truth = job_cases.truth(name)
    logs = tmp_path / "logs"
    logs.mkdir()
    build(discover([job_cases.unpack(name, logs)]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert validate(bundle) == []
    headline, rows = bundle.job["text"], bundle.rank_table("rank_findings")
    everything = "\n".join([headline, *(text for row in rows for text in (row["title"], row["text"]))])
    assert not_found(truth["headline"], headline) == []
    assert not_found(truth["must_say"], everything) == []
    assert [found[0] for pattern in truth["must_not_say"] if (found := re.search(pattern, everything))] == []
    if truth["healthy"]:
        assert [row["title"] for row in rows if row["severity"] != "info"] == []
    else:
        assert rows
