"""Traces in commands: build and add-profile agree; merge, validate, redact and export keep the tables."""

import gzip
import json
import shutil

import pytest
from click.testing import CliRunner
from profiled import PROGRAMS, TABLES, built_with
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli
from tlparse_bundle.in_browser import answer
from tlparse_bundle.pipeline.merge import add_profiles, merge
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.redact import redact


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", ["warm_cache", "breaks"])
def test_add_profile_gives_the_bytes_of_a_build(tmp_path, name):
    profiles = sorted((PROGRAMS / name / "profiles").iterdir())
    whole = built_with(name, tmp_path / "whole")
    assert validate(whole) == []
    build(discover([PROGRAMS / name / "trace"]), tmp_path / "added", jobs=1)
    for profile in reversed(profiles):  # one after the other, in another order
        result = run("add-profile", tmp_path / "added", profile)
        assert result.exit_code == 0, result.output
    add_profiles(tmp_path / "added", [str(profiles[0])])  # nothing new
    assert files_of(tmp_path / "added") == files_of(tmp_path / "whole")


def test_traces_with_one_name_have_numbers(tmp_path):
    places = [tmp_path / "one" / "trace.json.gz", tmp_path / "two" / "trace.json.gz"]
    for place in places:
        place.parent.mkdir()
    log = next((PROGRAMS / "reset" / "trace").iterdir())
    shutil.copy(PROGRAMS / "reset" / "profiles" / "reset.json.gz", places[0])
    data = json.loads(gzip.decompress(places[0].read_bytes()))
    data["traceName"] = "changed"
    places[1].write_text(json.dumps(data))
    build(discover([log]), tmp_path / "bundle", jobs=1, profile=[str(place) for place in places])
    (found,) = Bundle.open(tmp_path / "bundle").logs
    assert [row["profile"] for row in found.table("profiles")] == ["trace.json.gz", "trace.json.gz#2"]
    build(discover([log]), tmp_path / "added", jobs=1)
    for place in places[::-1]:
        add_profiles(tmp_path / "added", [str(place)])
    assert files_of(tmp_path / "added") == files_of(tmp_path / "bundle")
    assert {row["profile"] for row in found.table("kernel_calls")} == {"trace.json.gz", "trace.json.gz#2"}


def test_merge_keeps_the_times(tmp_path):
    for name in ("reset", "breaks"):
        logs = tmp_path / "logs" / f"{name}.log.zst"
        logs.parent.mkdir(exist_ok=True)
        shutil.copy(next((PROGRAMS / name / "trace").iterdir()), logs)
        build(discover([logs]), tmp_path / name, jobs=1, profile=[str(PROGRAMS / name / "profiles")])
    merge([tmp_path / "reset", tmp_path / "breaks"], tmp_path / "merged", jobs=1)
    build(
        discover(sorted((tmp_path / "logs").iterdir())),
        tmp_path / "built",
        jobs=1,
        profile=[str(PROGRAMS / name / "profiles") for name in ("reset", "breaks")],
    )
    assert files_of(tmp_path / "merged") == files_of(tmp_path / "built")


@pytest.mark.parametrize("preset", PRESETS)
def test_redaction_keeps_times_and_joins(tmp_path, preset):
    (whole,) = built_with("breaks", tmp_path / "whole").logs
    redact(Bundle.open(tmp_path / "whole"), tmp_path / "redacted", policy(preset))
    assert validate(Bundle.open(tmp_path / "redacted")) == []
    (log,) = Bundle.open(tmp_path / "redacted").logs
    for name in TABLES:
        if log.is_missing(name):
            continue
        rows, before = log.table(name), whole.table(name)
        assert len(rows) == len(before)
        for row, old in zip(rows, before, strict=True):
            for field, value in row.items():
                if not isinstance(old[field], str | list):
                    assert value == old[field]
    profiles = {row["profile"] for row in log.table("profiles")}
    assert {row["profile"] for row in log.table("kernel_calls")} == profiles
    if not log.is_missing("kernels"):
        kernels = {(row["code_event"], row["name"]) for row in log.table("kernels")}
        assert {(row["code_event"], row["kernel"]) for row in log.table("kernel_calls")} <= kernels


def test_a_trace_of_another_log_is_not_guessed(tmp_path):
    """Two logs of equal processes, and a trace with the process of neither."""
    profile = PROGRAMS / "processes" / "profiles" / "process_0.json.gz"
    data = json.loads(gzip.decompress(profile.read_bytes()))
    for event in data["traceEvents"]:
        event["pid"] = 1
    (tmp_path / "trace.json").write_text(json.dumps(data))
    result = run(
        "build",
        PROGRAMS / "processes" / "trace",
        tmp_path / "bundle",
        "--profile",
        tmp_path / "trace.json",
        "--strict",
    )
    assert result.exit_code == 3
    assert "it fits 2 logs equally well" in result.output
    assert "profiler traces: 1 × profile-unassigned" in result.output
    assert all(not log.table("profiles") for log in Bundle.open(tmp_path / "bundle").logs)


def test_a_rank_decides(tmp_path):
    """The same, when the trace names its rank and the logs have ranks."""
    profile = PROGRAMS / "processes" / "profiles" / "process_0.json.gz"
    data = json.loads(gzip.decompress(profile.read_bytes()))
    data["distributedInfo"] = {"rank": 1, "world_size": 2}
    for event in data["traceEvents"]:
        event["pid"] = 1
    (tmp_path / "trace.json").write_text(json.dumps(data))
    for number, path in enumerate(sorted((PROGRAMS / "processes" / "trace").iterdir())):
        shutil.copy(path, tmp_path / f"dedicated_log_torch_trace_rank_{number}_abcdefgh.log.zst")
    build(
        discover(sorted(tmp_path.glob("*.zst"))),
        tmp_path / "bundle",
        jobs=1,
        profile=[str(tmp_path / "trace.json")],
    )
    rows = {log.rank: log.table("profiles") for log in Bundle.open(tmp_path / "bundle").logs}
    assert [row["assigned_by"] for row in rows[1]] == ["rank"]
    assert rows[0] == []


def test_add_profile_to_something_else_is_refused(tmp_path):
    profiles = [str(PROGRAMS / "reset" / "profiles")]
    with pytest.raises(BundleError):
        add_profiles(tmp_path, profiles)
    with pytest.raises(BundleError, match="not added to a bundle at a URL") as error:
        add_profiles("https://example.org/bundle", profiles)
    assert (error.value.exit_code, "--profile" in error.value.hint) == (2, True)


def test_a_log_and_a_trace_dropped_on_the_page(tmp_path, monkeypatch):
    """As the page calls it, with the files in the working folder."""
    shutil.copy(next((PROGRAMS / "reset" / "trace").iterdir()), tmp_path / "reset.log.zst")
    shutil.copy(PROGRAMS / "reset" / "profiles" / "reset.json.gz", tmp_path)
    (tmp_path / "bad[1].json").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    names = ["reset.log.zst", "reset.json.gz", "bad[1].json"]
    done = json.loads(answer("build_bundle", names, "out", "zstd", lambda size: None))
    assert done["result"]["log_count"] == 1
    assert done["result"]["left_out"].startswith("bad[1].json: it is not a trace of torch.profiler")
    (log,) = Bundle.open("out").logs
    assert [row["profile"] for row in log.table("profiles")] == ["reset.json.gz"]
