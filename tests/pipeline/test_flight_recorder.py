"""Flight Recorder dumps joined to logs: real jobs, what NCCL records, merging, and malformed dumps."""

import json
import os
import pickle
import re
import shutil
from pathlib import Path

import pytest
import traces
from click.testing import CliRunner
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli
from tlparse_bundle.pipeline.merge import merge
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.redact import redact
from tlparse_bundle.statements.ranks.rank_sets import ranks_in

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


@pytest.mark.parametrize("name", NAMES)
def test_a_job_is_joined(joined, name):
    truth = json.loads((JOBS / name / "truth.json").read_text())
    bundle = joined(name)
    assert validate(bundle) == []
    groups = bundle.rank_table("flight_recorder_groups")
    plain = [
        {key: ranks_in(row[key]) if type(row[key]) is list else row[key] for key in truth["groups"][0]}
        for row in groups
    ]
    for row, expected in zip(plain, truth["groups"], strict=True):
        if expected["waiting"] is None:
            row["waiting"] = None
    assert plain == truth["groups"]
    calls = bundle.rank_table("flight_recorder_calls")
    counts = {str(row["rank"]): row["call_count"] for row in bundle.rank_table("flight_recorder_dumps")}
    assert counts == truth["call_counts"]
    assert len(calls) == sum(counts.values())
    for number, expected in truth["calls"].items():
        rows = [row for row in calls if row["group"] == "0" and row["sequence"] == int(number)]
        assert rows and all({key: row[key] for key in expected} == expected for row in rows)
    assert [
        {"kind": row["kind"], "ranks": ranks_in(row["ranks"]), "others": ranks_in(row["others"])}
        for row in found(bundle)
    ] == truth["findings"]
    if truth["findings"]:
        assert bundle.rank_table("rank_findings")[0]["kind"] == truth["findings"][0]["kind"]


def test_every_recorded_call_of_the_jobs_has_an_origin(joined):
    """Dumps with stacks say of each call whether compiled code made it, and the compile is in the log."""
    for name in NAMES:
        bundle = joined(name)
        logs = {log.rank: {row["compile"] for row in log.table("compiles")} for log in bundle.logs}
        for row in bundle.rank_table("flight_recorder_calls"):
            assert row["origin"] in ("compiled", "eager")
            assert (row["compile"] is None) == (row["origin"] == "eager") == (row["joined_by"] is None)
            assert row["compile"] is None or row["compile"] in logs[row["rank"]]
            column = row["rank_compile"]
            assert column is None or row["function"] == bundle.rank_table("rank_compiles")[column]["function"]


def test_the_sentences_name_call_ranks_code_and_line(joined):
    titles = {name: [row["title"] for row in found(joined(name))] for name in NAMES}
    assert titles["missing_call"] == [
        "Rank 2 has not called `all_reduce` #5 of the default group; ranks 0, 1 and 3 wait in it, called by"
        " `sync` [0/0] at `program.py:36`"
    ]
    assert titles["recompiled"][0].endswith("called by `sync` [0/1] at `program.py:35`")
    assert titles["no_dump"] == [
        "Ranks 0, 1 and 3 wait in `all_reduce` #5 of the default group, called by `sync` [0/0] at"
        " `program.py:36`, and rank 2 has no Flight Recorder dump"
    ]
    assert titles["other_call"] == [
        "As call #2 of the default group, rank 1 calls `barrier`, ranks 0, 2 and 3 call `all_reduce`"
    ]
    assert titles["other_size"][0].endswith(
        "calls `all_reduce` of f32 (17, 8), ranks 0 and 3 call f32 (16, 8)"
    )
    order, *waits = found(joined("wrong_order"))
    assert order["title"] == (
        "Rank 1 calls `all_reduce` of the default group where ranks 0, 2 and 3 call `all_reduce` of group"
        " `mesh_tp`"
    )
    assert [row["because_of"] for row in waits] == [order["id"]] * 2
    assert joined("missing_call").job["text"].startswith("Rank 2 has not called `all_reduce` #5")
    (text,) = (row["text"] for row in found(joined("missing_call")))
    assert (
        text
        == "The last call of rank 2 in this group is `all_gather` #4 at `program.py:40`, which has finished."
    )


def test_without_the_option_nothing_changes(tmp_path, joined):
    logs = discover([JOBS / "missing_call" / "trace"])
    build(logs, tmp_path / "plain", jobs=1)
    plain = Bundle.open(tmp_path / "plain")
    assert not [name for name in plain.manifest["rank_tables"] if name.startswith("flight")]
    assert plain.rank_table("flight_recorder_calls") == []
    own, with_dumps = traces.files(tmp_path / "plain"), traces.files(Path(joined("missing_call").location))
    changed = {path for path in own if with_dumps.get(path) != own[path]}
    assert changed <= {"manifest.json", *(path for path in own if path.startswith("ranks/rank_findings"))}


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


@pytest.mark.parametrize("state", ["scheduled", "started"])
def test_what_nccl_records(tmp_path, dumps, state):
    folder = dumps("missing_call")
    for path in folder.iterdir():
        changed_dump(path, as_nccl(state))
    bundle = built_with("missing_call", tmp_path / "out", folder)
    (group,) = bundle.rank_table("flight_recorder_groups")
    assert (group["ranks_from"], group["state"], group["missing"]) == ("recorded", "missing", [[2, 2]])
    positions = {row["rank"]: row for row in bundle.rank_table("flight_recorder_positions")}
    assert [positions[rank]["recorded_state"] for rank in range(4)] == [state, state, "completed", state]
    assert positions[0]["last_started"] == 5
    calls = bundle.rank_table("flight_recorder_calls")
    assert {row["backend"] for row in calls} == {"nccl"}
    assert {row["duration_us"] for row in calls} == {4, None}
    assert all(row["completed_epoch_us"] - row["started_epoch_us"] == 4 for row in calls if row["finished"])


def test_a_call_that_all_ranks_are_in_is_not_a_missing_rank(tmp_path, dumps):
    folder = dumps("healthy")

    def last_is_open(dump):
        as_nccl("started")(dump)
        dump["entries"] = dump["entries"][:5]
        dump["entries"][-1] |= {"state": "started", "retired": False, "time_discovered_completed_ns": None}

    for path in folder.iterdir():
        changed_dump(path, last_is_open)
    bundle = built_with("healthy", tmp_path / "out", folder)
    (row,) = found(bundle)
    assert (row["kind"], row["severity"], row["ranks"]) == ("collective-running", "info", [[0, 3]])
    assert "All ranks of the default group have called `all_reduce` #5" in row["title"]


def test_a_pending_receive_is_shown_and_blames_nobody(tmp_path, dumps):
    folder = dumps("healthy")

    def receives(dump):
        as_nccl("started")(dump)
        last = dump["entries"][-1]
        last |= {"profiling_name": "nccl:recv 0<-1", "is_p2p": True, "p2p_seq_id": 3, "state": "started"}
        last |= {"time_discovered_completed_ns": None, "retired": False}

    changed_dump(folder / "nccl_trace_rank_0", receives)
    bundle = built_with("healthy", tmp_path / "out", folder)
    position = bundle.rank_table("flight_recorder_positions")[0]
    assert (position["rank"], position["operation"], position["p2p"], position["state"]) == (
        0,
        "recv",
        True,
        "waiting",
    )
    call = next(row for row in bundle.rank_table("flight_recorder_calls") if row["p2p"])
    assert (call["source"], call["destination"], call["sequence"]) == (1, 0, 3)
    assert found(bundle) == []


def test_groups_of_one_name_with_different_ranks_are_different(tmp_path, dumps):
    """torch reuses names of groups that split_group creates."""
    folder = dumps("missing_call")
    for rank in range(4):
        members = "[0, 1]" if rank < 2 else "[2, 3]"
        changed_dump(folder / f"nccl_trace_rank_{rank}", as_nccl("started", members))
    bundle = built_with("missing_call", tmp_path / "out", folder)
    states = {str(row["ranks"]): row["state"] for row in bundle.rank_table("flight_recorder_groups")}
    assert states == {"[[0, 1]]": "waiting", "[[2, 3]]": "missing"}


def test_merged_bundles_have_the_bytes_of_one_build(tmp_path, joined):
    logs = discover([JOBS / "missing_call" / "trace"])
    for name, some in (("left", logs[:1]), ("right", logs[1:])):
        patterns = [str(JOBS / "missing_call" / "dumps" / f"nccl_trace_rank_{rank_of(log)}") for log in some]
        build(some, tmp_path / name, jobs=1, flight_recorder=patterns)
    left = Bundle.open(tmp_path / "left")
    assert left.job["ranks"] == [[0, 0]], "one log and its dump"
    merge([tmp_path / "left", tmp_path / "right"], tmp_path / "merged", jobs=1)
    assert traces.files(tmp_path / "merged") == traces.files(Path(joined("missing_call").location))


def test_a_dump_that_every_part_has_is_merged_once(tmp_path, joined):
    """Each host reads the dumps of all ranks; its own bundle says which logs it lacks."""
    logs = discover([JOBS / "wrong_order" / "trace"])
    for name, some in (("left", logs[:2]), ("right", logs[2:])):
        build(some, tmp_path / name, jobs=1, flight_recorder=[str(JOBS / "wrong_order" / "dumps")])
    (message,) = Bundle.open(tmp_path / "left").manifest["diagnostics"]["flight-recorder-unmatched"]
    assert message.startswith("The bundle has no log of ranks 2 and 3")
    merge([tmp_path / "left", tmp_path / "right"], tmp_path / "merged", jobs=1)
    assert traces.files(tmp_path / "merged") == traces.files(Path(joined("wrong_order").location))


def test_a_trace_of_rank_0_alone_joins_the_dumps_of_all(tmp_path):
    logs = [log for log in discover([JOBS / "missing_call" / "trace"]) if rank_of(log) == 0]
    build(logs, tmp_path / "out", jobs=1, flight_recorder=[str(JOBS / "missing_call" / "dumps")])
    bundle = Bundle.open(tmp_path / "out")
    (row,) = found(bundle)
    assert row["title"].startswith(
        "Rank 2 has not called `all_reduce` #5 of the default group; ranks 0, 1 and 3"
    )
    assert validate(bundle) == []


def test_malformed_and_malicious_dumps_are_diagnosed(tmp_path, dumps):
    folder = dumps("missing_call")
    marker = tmp_path / "executed"

    class Malicious:
        def __reduce__(self):
            return os.system, (f"touch {marker}",)

    (folder / "nccl_trace_rank_0").write_bytes(pickle.dumps({"entries": [Malicious()]}))
    (folder / "nccl_trace_rank_1").write_bytes((folder / "nccl_trace_rank_1").read_bytes()[:-20])
    (folder / "notes.txt").write_text("these are the dumps")
    changed_dump(folder / "nccl_trace_rank_3", lambda dump: dump["entries"].insert(2, {"state": "odd"}))
    shutil.copy(folder / "nccl_trace_rank_2", folder / "older_rank_2")
    changed_dump(folder / "older_rank_2", lambda dump: dump.update(entries=dump["entries"][:2]))
    os.mkfifo(folder / "pipe_rank_9")
    result = CliRunner().invoke(
        cli,
        ["build", str(JOBS / "missing_call" / "trace"), str(tmp_path / "out"), "--flight-recorder", str(folder / "*"),
         "--jobs", "1", "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert not marker.exists()
    diagnostics = Bundle.open(tmp_path / "out").manifest["diagnostics"]
    unreadable = sorted(diagnostics["flight-recorder-unreadable"])
    assert [message.partition(":")[0] for message in unreadable] == [
        "nccl_trace_rank_0", "nccl_trace_rank_1", "notes.txt", "pipe_rank_9",
    ]  # fmt: skip
    assert "can execute code: only containers and scalars are read (at byte " in unreadable[0]
    assert "it is cut off (at byte " in unreadable[1]
    assert diagnostics["flight-recorder-partly"] == [
        "nccl_trace_rank_3: 1 of 6 entries were left out: entry 2 has no process_group with name and description"
    ]
    assert diagnostics["flight-recorder-repeated"] == [
        "Of two dumps of rank 2, older_rank_2 was left out because it is older."
    ]
    assert diagnostics["flight-recorder-unmatched"] == ["No dump covers ranks 0 and 1."]
    assert "flight-recorder-unreadable" in result.output
    strict = CliRunner().invoke(
        cli,
        ["build", str(JOBS / "missing_call" / "trace"), str(tmp_path / "strict"), "--flight-recorder",
         str(folder / "*"), "--jobs", "1", "--strict", "-q"],
    )  # fmt: skip
    assert strict.exit_code == 3 and "4 × flight-recorder-unreadable" in strict.output


@pytest.mark.parametrize(
    ("pattern", "message"), [("none_*", "no file matches"), ("s3://bucket/dump_*", "not read from URLs")]
)
def test_a_pattern_without_dumps_is_an_error_and_writes_nothing(tmp_path, pattern, message):
    with pytest.raises(BundleError, match=message) as error:
        built_with("missing_call", tmp_path / "out", tmp_path / pattern if "://" not in pattern else pattern)
    assert error.value.exit_code == 2 and error.value.hint
    assert not (tmp_path / "out").exists()


def test_logs_without_a_rank_say_so(tmp_path):
    log = traces.ROOT / "fixtures" / "basic_inference" / "trace"
    build(discover([log]), tmp_path / "out", jobs=1, flight_recorder=[str(JOBS / "healthy" / "dumps")])
    manifest = Bundle.open(tmp_path / "out").manifest
    assert "rank_tables" not in manifest
    assert manifest["diagnostics"]["flight-recorder-unmatched"][-1].startswith("No log has a rank")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_redacted_bundle_keeps_the_verdict_without_names(tmp_path, joined, preset):
    bundle = joined("wrong_order")
    redact(bundle, tmp_path / "out", policy(preset), key=bytes(32))
    redacted = Bundle.open(tmp_path / "out")
    assert validate(redacted) == []
    kept = found(redacted)
    assert [(row["kind"], row["ranks"], row["because_of"]) for row in kept] == [
        (row["kind"], row["ranks"], row["because_of"]) for row in found(bundle)
    ]
    text = json.dumps([redacted.rank_table(name) for name in redacted.manifest["rank_tables"]])
    for secret in ("program.py", "tensor_parallel", "wrong_order", "nccl_trace_rank_1"):
        assert secret not in text
