"""fixtures/parallel: what a comparison says about each job, against the truth of the program that made it."""

import re

import job_cases
import pytest
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.statements.ranks.rank_sets import ranks_in


@pytest.fixture(params=job_cases.NAMES)
def case(request, once):
    """The truth about a job, and its bundle, which all workers share."""

    def make(folder):
        (folder / "trace").mkdir()
        job_cases.unpack(request.param, folder / "trace")
        build(discover([folder / "trace"]), folder / "bundle", codec="none", jobs=1)

    folder = once(("parallel", request.param), make)
    return job_cases.truth(request.param), Bundle.open(folder / "bundle")


def said(bundle):
    rows = [f"{row['title']}. {row['text']}" for row in bundle.rank_table("rank_findings")]
    return "\n".join([bundle.job["text"], *rows])


def test_the_headline_says_what_matters(case):
    truth, bundle = case
    for pattern in truth["headline"]:
        assert re.search(pattern, bundle.job["text"])


def test_everything_is_said_that_must_be(case):
    truth, bundle = case
    for pattern in truth["must_say"]:
        assert re.search(pattern, said(bundle))


def test_nothing_is_said_that_is_wrong(case):
    truth, bundle = case
    for pattern in truth["must_not_say"]:
        assert not re.search(pattern, said(bundle))


def test_a_fault_is_as_severe_as_it_must_be_and_a_healthy_job_has_no_warning(case):
    truth, bundle = case
    severities = ["info", "warning", "error"]
    worst = max((severities.index(row["severity"]) for row in bundle.rank_table("rank_findings")), default=0)
    if truth["healthy"]:
        assert worst == 0
    else:
        assert worst >= severities.index(truth["severity"])


def test_roles_are_those_of_the_program(case):
    truth, bundle = case
    job = truth["jobs"][truth["compared"] or 0]
    roles = sorted(ranks_in(row["ranks"]) for row in bundle.rank_table("rank_roles"))
    if truth["name"] == "first_rank_reports":  # a rank with one more function keeps the role of the others
        assert roles == [[0, 1, 2, 3]]
    else:
        assert roles == sorted(map(sorted, job["roles"]))
