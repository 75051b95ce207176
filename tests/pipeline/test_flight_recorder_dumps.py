"""Flight Recorder dumps in builds: merging, redaction, and malformed dumps."""

import json
import os
import pickle
import shutil
from pathlib import Path

import pytest
import traces
from click.testing import CliRunner
from flight_recorder_jobs import JOBS, built_with, changed_dump, dumps, found, joined, rank_of  # noqa: F401
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli
from tlparse_bundle.pipeline.merge import merge
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.redact import redact


def test_without_the_option_nothing_changes(tmp_path, joined):
    logs = discover([JOBS / "missing_call" / "trace"])
    build(logs, tmp_path / "plain", jobs=1)
    plain = Bundle.open(tmp_path / "plain")
    assert not [name for name in plain.manifest["rank_tables"] if name.startswith("flight")]
    assert plain.rank_table("flight_recorder_calls") == []
    own, with_dumps = traces.files(tmp_path / "plain"), traces.files(Path(joined("missing_call").location))
    changed = {path for path in own if with_dumps.get(path) != own[path]}
    assert changed <= {"manifest.json", *(path for path in own if path.startswith("ranks/rank_findings"))}


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
