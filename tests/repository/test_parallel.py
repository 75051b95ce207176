"""fixtures/parallel: the truth of each case follows from its logs, which have no path of the machine that ran it.

Collectives are read from the text of the logs, without the package.
"""

import importlib.util
import json
import re
import sys
from itertools import chain

import job_cases
import pytest
import traces
from multiplied_jobs import multiply

CALL = re.compile(r"_c10d_functional\.(?!wait_tensor)(\w+)\.default\((?!.*\bfw_).*'(\d+)'\)$", re.MULTILINE)
STOPS = {"hung", "failed"}
# Cases whose calls meet, and that stop nevertheless: by arguments of a call, by calls of eager code, by an error.
ARGUMENTS = {"moe_experts", "moe_splits", "ring_wrong_peer", "wrong_dtype", "wrong_root", "wrong_size"}
EAGER = {"fsdp_block_missing"}
ERRORS = {"all_fail"}


def module(name):
    spec = importlib.util.spec_from_file_location(name, traces.ROOT / "fixtures" / f"{name}.py")
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def cases():
    return module("parallel/cases").CASES


@pytest.fixture(scope="module")
def regenerate():
    return module("regenerate")


def calls(text):
    """Return [(operation, name of the group)] of the first code of each function, in the order of the compiles.

    The code of a recompile is called instead of the first one, where other ranks call that another time.
    """
    found = []
    for record in re.split(r"\n(?=V\d)", text):
        head = record.partition("\n")[0]
        if '"inductor_output_code"' in head and '"frame_compile_id": 0,' in head:
            found += CALL.findall(record)
    return found


def stuck(by_rank, groups):
    """Return whether ranks that wait in each call for all members of its group come to a halt before the end.

    ``groups`` are lists of ranks; a name means the smallest list that has all ranks which use it.
    """
    users = {}
    for rank, found in by_rank.items():
        for _, name in found:
            users.setdefault(name, set()).add(rank)
    members = {
        name: min((ranks for ranks in groups if used <= set(ranks)), key=len) for name, used in users.items()
    }
    place = dict.fromkeys(by_rank, 0)

    def now(rank):
        return by_rank[rank][place[rank]] if place[rank] < len(by_rank[rank]) else None

    while True:
        meeting = next(
            (
                call
                for rank in by_rank
                if (call := now(rank)) and all(now(other) == call for other in members[call[1]])
            ),
            None,
        )
        if meeting is None:
            return any(now(rank) for rank in by_rank)
        for rank in members[meeting[1]]:
            place[rank] += 1


def of_job(job, logs):
    """Return {rank: text of its log}."""
    return {int(name.split("_rank_")[1].split("_")[0]): logs[name].decode() for name in job["logs"]}


def test_a_circle_of_waiting_ranks_is_stuck():
    groups = [[0, 1], [2, 3], [0, 2], [1, 3]]
    names = {0: "ac", 1: "ad", 2: "bc", 3: "bd"}  # of the first group and the second one of a rank
    for swapped, expected in (((), False), ((1,), False), ((1, 2), True), ((0, 3), True)):
        by_rank = {
            rank: [("add", name) for name in (pair[::-1] if rank in swapped else pair)]
            for rank, pair in names.items()
        }
        assert stuck(by_rank, groups) == expected
    assert stuck({0: [("add", "a"), ("add", "a")], 1: [("add", "a")]}, [[0, 1]])


def test_the_table_and_the_files_have_each_case(cases):
    text = (job_cases.FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    assert rows == [(name, case.what) for name, case in cases.items()]
    assert sorted(cases) == job_cases.NAMES
    assert f"the logs of {len(cases)} jobs" in (job_cases.FOLDER.parent / "README.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("name", job_cases.NAMES)
def test_the_truth_is_that_of_the_program(name, cases):
    truth, logs = job_cases.truth(name), job_cases.logs(name)
    jobs = truth.pop("jobs")
    expected = json.loads(json.dumps(cases[name].truth()))
    for job, stated in zip(jobs, expected.pop("jobs"), strict=True):
        assert job.pop("ended") in stated["ends"]
        assert job.pop("logs")
        assert job == stated
        everyone = list(range(job["world_size"]))
        assert sorted(chain.from_iterable(job["roles"])) == everyone and set(job["guilty"]) <= set(everyone)
    assert {"name": name, **expected} == truth
    of_jobs = [file for job in job_cases.truth(name)["jobs"] for file in job["logs"]]
    assert sorted(of_jobs) == sorted(logs)
    for pattern in (*truth["headline"], *truth["must_say"], *truth["must_not_say"]):
        re.compile(pattern)


@pytest.mark.parametrize("name", job_cases.NAMES)
def test_the_logs_are_those_of_ranks(name, regenerate):
    logs = job_cases.logs(name)
    for job in job_cases.truth(name)["jobs"]:
        texts = of_job(job, logs)
        assert sorted(texts) == list(range(job["world_size"]))
        for rank, text in texts.items():
            assert set(re.findall(r'"rank": (\d+), ', text)) == {str(rank)}
            first = next(line for line in text.split("\n") if '"dynamo_start"' in line)
            assert '"frame_id": 0, "frame_compile_id": 0' in first
            (bottom,) = re.findall(r'"stack": \[\{"line": \d+, "name": "([^"]+)"', first)
            assert bottom == "<module>"
    for data in logs.values():
        assert regenerate.make_neutral(data, []) == data
        assert regenerate.FOREIGN_PATH.search(data) is None and b"launch.py" not in data


@pytest.mark.parametrize("name", job_cases.NAMES)
def test_a_job_ended_as_its_calls_say(name):
    logs = job_cases.logs(name)
    for job in job_cases.truth(name)["jobs"]:
        by_rank = {rank: calls(text) for rank, text in of_job(job, logs).items()}
        groups = [ranks for lists in job["groups"].values() for ranks in lists]
        assert bool(groups) == any(by_rank.values())
        if stuck(by_rank, groups):
            assert job["ended"] in STOPS
        else:
            assert (job["ended"] in STOPS) == (name in ARGUMENTS | EAGER | ERRORS)


@pytest.mark.parametrize("name", ["order_2x2", "order_circle", "branch", "killed", "ring_wrong_peer"])
def test_a_multiplied_job_has_one_fault(name, tmp_path, regenerate):
    truth = multiply(name, 24, tmp_path)
    (job,) = job_cases.truth(name)["jobs"]
    assert len(truth["guilty"]) == len(job["guilty"])
    by_rank = {}
    for path in tmp_path.iterdir():
        data, rank = path.read_bytes(), int(path.name.split("_rank_")[1].split("_")[0])
        assert regenerate.make_neutral(data, []) == data  # checksums are right
        assert set(re.findall(rb'"rank": (\d+), ', data)) == {b"%d" % rank}
        by_rank[rank] = calls(data.decode())
    assert sorted(by_rank) == list(range(24)) == sorted(chain.from_iterable(truth["roles"]))
    groups = [ranks for lists in truth["groups"].values() for ranks in lists]
    assert stuck(by_rank, groups) == (job["ended"] in STOPS and name not in ARGUMENTS)
    for rank in truth["guilty"]:
        (role,) = (role for role in truth["roles"] if rank in role)
        others = [[kind for kind, _ in by_rank[other]] for other in role if other not in truth["guilty"]]
        assert all(other == others[0] for other in others)
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 24


@pytest.mark.parametrize(("name", "ranks"), [("branch", 6), ("mesh_2x4", 4)])
def test_a_job_that_cannot_be_multiplied(name, ranks, tmp_path):
    with pytest.raises(ValueError, match=name):
        multiply(name, ranks, tmp_path)


def plan(text):
    """Return the first graph of each function of a rank, without numbers and comments."""
    graphs = []
    for record in re.split(r"\n(?=V\d)", text):
        head, _, graph = record.partition("\n")
        if '"dynamo_output_graph"' in head and '"frame_compile_id": 0,' in head:
            lines = [re.sub(r"\d+", "", line.split(" # ")[0]) for line in graph.split("\n")]
            graphs.append([line for line in lines if line.strip() and not line.lstrip().startswith("#")])
    return graphs


@pytest.mark.parametrize("name", job_cases.NAMES)
def test_ranks_of_one_role_run_the_same_code(name):
    logs = job_cases.logs(name)
    for job in job_cases.truth(name)["jobs"]:
        plans = {rank: plan(text) for rank, text in of_job(job, logs).items()}
        innocent = [[plans[rank] for rank in role if rank not in job["guilty"]] for role in job["roles"]]
        for found in innocent:  # a rank may have ended before its last compile
            assert all(one == max(found, key=len)[: len(one)] for one in found)
        firsts = [json.dumps(max(found, key=len)) for found in innocent]
        assert len(set(firsts)) == len(firsts)
