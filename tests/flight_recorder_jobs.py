"""Real jobs with Flight Recorder dumps, as bundles, and changes of their dumps."""

import pickle
import re
import shutil

import pytest
import traces
from tlparse_bundle import Bundle, build, discover

JOBS = traces.ROOT / "fixtures" / "flight_recorder"
NAMES = sorted(path.parent.name for path in JOBS.glob("*/truth.json"))
KINDS = ("collective-hang", "collective-running", "recorded-mismatch", "recorded-order")


def built_with(name, out, dumps=None, **options):
    build(
        discover([JOBS / name / "trace"]),
        out,
        jobs=1,
        flight_recorder=[str(dumps or JOBS / name / "dumps")],
        **options,
    )
    return Bundle.open(out)


@pytest.fixture(scope="session")
def joined(once):
    """Return joined(name): the bundle of a job with its dumps."""

    def get(name):
        folder = once(("joined", name), lambda folder: built_with(name, folder / "bundle"))
        return Bundle.open(folder / "bundle")

    return get


def rank_of(log):
    return int(re.search(r"rank_(\d+)", log.id)[1])


def found(bundle):
    """Return the findings from dumps."""
    return [row for row in bundle.rank_table("rank_findings") if row["kind"] in KINDS]


def changed_dump(path, change):
    """Rewrite a dump as torch would, after ``change(dump)``."""
    value = pickle.loads(path.read_bytes())
    change(value)
    path.write_bytes(pickle.dumps(value, 2))


@pytest.fixture
def dumps(tmp_path):
    """Return dumps(name): a copy of the dumps of a job."""

    def copy(name):
        shutil.copytree(JOBS / name / "dumps", tmp_path / "dumps")
        return tmp_path / "dumps"

    return copy


def as_nccl(state, members="[0, 1, 2, 3]"):
    """Return a change that gives a dump what NCCL records and gloo does not, by the documented schema."""

    def change(dump):
        dump["pg_config"] = {"0": {"name": "0", "desc": "default_pg", "ranks": members}}
        for entry in dump["entries"]:
            is_finished = entry["retired"]
            entry["profiling_name"] = entry["profiling_name"].replace("gloo:", "nccl:")
            entry["state"] = "completed" if is_finished else state
            entry["time_discovered_started_ns"] = entry["time_created_ns"] + 5_000
            if is_finished:
                entry["time_discovered_completed_ns"] = entry["time_created_ns"] + 9_000
                entry["duration_ms"] = 0.004
        dump["pg_status"]["0"]["last_started_collective"] = len(dump["entries"])

    return change
