"""Options of commands that share, check and compare bundles: what each adds, and which do not go together."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from log_builder import log
from made_runs import made_runs
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.cli.main import cli
from traces import ROOT

FIXTURES = ROOT / "fixtures"


def run(*arguments, code=0):
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert done.exit_code == code or (done.exception is not None and code), (done.output, done.exception)
    return done


def refused(*arguments):
    """Return the message of a command line that cannot be understood."""
    done = run(*arguments, code=2)
    return done.stderr


@pytest.fixture
def place(built):
    return built(FIXTURES / "recompiles" / "trace").location


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_rank_3_x.log"
    path.write_bytes(log("dynamo_start 0/0 @3"))
    return path


# ---- check


def test_a_check_fails_with_4_and_passes_with_0(place):
    (found,) = Bundle.open(place).logs
    count = found.summary["recompile_count"]
    assert count > 0
    done = run("check", place, "--max-recompiles", count)
    assert done.stdout.startswith("✓ max-recompiles") and done.stdout.rstrip().endswith(
        "1 check, none failed."
    )
    done = CliRunner().invoke(cli, ["check", str(place), "--max-recompiles", str(count - 1)])
    assert done.exit_code == 4 and done.stdout.startswith("✖ max-recompiles")


def test_each_limit_is_a_check_of_its_own(place):
    options = ["--max-breaks", 99, "--max-recompiles", 99, "--max-compiles", 99, "--max-cache-misses", 99]
    done = run("check", place, *options, "--no-failures", "--max-compile-time", "1h", "--format", "json")
    document = json.loads(done.stdout)
    assert document["ok"] and [row["rule"].split()[0] for row in document["checks"]] == [
        "max-breaks",
        "max-recompiles",
        "max-compiles",
        "max-failures",
        "max-cache-misses",
        "max-compile-time",
    ]


def test_what_is_not_recorded_fails_unless_it_is_allowed(trace):
    options = ["check", trace, "--max-cache-misses", "0", "--max-compile-time", "1s", "--format", "json"]
    done = CliRunner().invoke(cli, [str(option) for option in options])
    unknown = [row["outcome"] for row in json.loads(done.stdout)["checks"]].count("unknown")
    assert done.exit_code == (4 if unknown else 0) and unknown
    assert json.loads(run(*options, "--allow-unknown").stdout)["ok"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Nothing to check."),
        (("--fail-on", "new:any"), "--fail-on needs a baseline."),
        (("--max-breaks", "0", "--with-time"), "--with-time needs --write-baseline."),
        (("--max-compile-time", "soon"), "soon"),
        (("--max-breaks", "-1"), "-1 is not in the range x>=0"),
    ],
)
def test_checks_that_are_not_possible(place, options, message):
    assert message in refused("check", place, *options)


def test_a_baseline_is_written_and_compared(place, tmp_path):
    file = tmp_path / "baseline.json"
    done = run("check", place, "--write-baseline", file)
    assert (done.stdout, done.stderr) == ("", f"Wrote {file}.\n") and "compile_time" not in file.read_text()
    for baseline in (file, place, FIXTURES / "recompiles" / "trace"):
        done = run("check", place, "--baseline", baseline)
        assert "new:any" in done.stdout and done.stdout.rstrip().endswith("none failed.")
    assert "slower:10%" in run("check", place, "--baseline", place, "--fail-on", "slower:10%").stdout
    run("check", place, "--write-baseline", tmp_path / "timed.json", "--with-time")
    assert "compile_time" in (tmp_path / "timed.json").read_text()


def test_formats_of_a_check(place, tmp_path):
    limit = ("check", place, "--max-breaks", 99)
    assert run(*limit, "--format", "github").stdout.startswith("::notice title=max-breaks")
    printed = run(*limit, "--format", "junit", "--junit", tmp_path / "out.xml").stdout
    assert printed.startswith("<?xml") and (tmp_path / "out.xml").read_text() == printed
    assert run("check", place, "--write-baseline", tmp_path / "b", "--format", "github").stdout == ""


# ---- report


def test_a_report_has_what_is_asked_for(place):
    (found,) = Bundle.open(place).logs
    whole = json.loads(run("report", place, "--format", "json").stdout)
    assert whole["logs"][0]["findings"] == json.loads(json.dumps(found.findings()))
    assert (
        len(json.loads(run("report", place, "--format", "json", "--limit", 1).stdout)["logs"][0]["findings"])
        == 1
    )
    kinds = json.loads(run("report", place, "--format", "json", "--kind", "recompile").stdout)
    assert {row["kind"] for row in kinds["logs"][0]["findings"]} == {"recompile"}
    assert run("report", place, "--log", found.id).stdout == run("report", place).stdout
    assert run("report", place, "--format", "markdown").stdout.split("\n")[2].startswith("### ")
    assert run("report", place, "--format", "github").stdout.startswith("::notice title=")


def test_ranks_of_a_report(built):
    place = built(FIXTURES / "ranks4" / "trace").location
    logs = json.loads(run("report", place, "--format", "json", "--rank", "1,2-3").stdout)["logs"]
    assert [row["rank"] for row in logs] == [1, 2, 3]
    assert "'x' is not a rank or a range" in refused("report", place, "--rank", "0,x")
    assert "'1-x' is not a rank or a range" in refused("report", place, "--rank", "1-x")


# ---- trend


@pytest.fixture
def runs(built, tmp_path):
    manifest = built(FIXTURES / "recompiles" / "trace").manifest
    changes = [{"compile_us": 1_000_000 + number} for number in range(12)]
    made_runs(tmp_path / "runs", json.loads(json.dumps(manifest)), changes, label="train")
    return tmp_path / "runs"


def test_a_trend_shows_the_newest_runs(runs):
    lines = run("trend", runs).stdout.split("\n")
    assert lines[0].startswith("train: 12 runs") and "  2 earlier runs; --last N shows more" in lines
    assert sum("run-0" in line for line in lines) == 10
    assert sum("run-0" in line for line in run("trend", runs, "--last", 3).stdout.split("\n")) == 3
    assert not any("run-0" in line for line in run("trend", runs, "--last", 0).stdout.split("\n"))


def test_a_trend_as_json_and_as_records(runs):
    document = json.loads(run("trend", runs, "--json").stdout)
    assert document["ok"] and len(document["runs"]) == 12
    assert json.loads(run("trend", runs, "--format", "json").stdout) == document

    def names(*options):
        records = json.loads(run("trend", runs, "--format", "benchmark-database", *options).stdout)
        return [row["benchmark"]["extra_info"]["run"] for row in records]

    assert len({*names()}) == 12 and {*names("--last", 2)} == {"runs/run-010", "runs/run-011"}
    assert names("--last", 0) == []


def test_a_trend_of_nothing(tmp_path):
    done = run("trend", tmp_path, code=1)
    assert done.exception.code == "not-a-bundle" and "no bundle found in" in done.exception.message


def test_a_bundle_that_cannot_be_read_is_left_out_of_a_trend(runs):
    (runs / "run-003" / "manifest.json").write_text("{")
    done = run("trend", runs)
    assert done.stderr.startswith("Left out: runs/run-003: ") and done.stdout.startswith("train: 11 runs")


def test_the_page_of_a_trend(runs, tmp_path):
    done = run("trend", runs, "--out", tmp_path / "page")
    assert done.stdout == "" and "the page of 12 runs" in done.stderr
    assert any((tmp_path / "page").iterdir())
    assert run("trend", runs, "--out", tmp_path / "page", code=1).exception.code == "exists"
    run("trend", runs, "--out", tmp_path / "page", "--overwrite")


# ---- sharing


def test_an_exported_file(place, tmp_path):
    done = run("export", place, tmp_path / "a.html", "--viewer", "letter")
    assert "MB, with all artifacts." in done.stderr and (tmp_path / "a.html").stat().st_size > 10_000
    assert run("export", place, tmp_path / "a.html", "--viewer", "letter", code=1).exception.code == "exists"
    done = run("export", place, tmp_path / "a.html", "--viewer", "letter", "--overwrite", "--compile", "0/0")
    assert "with the artifacts of 0/0." in done.stderr
    done = run("export", place, tmp_path / "b.html", "--viewer", "letter", "--preset", "share-with-vendor")
    assert "with share-with-vendor applied." in done.stderr
    assert "--max-mb" in refused("export", place, tmp_path / "c.html", "--max-mb", 0)


def test_a_comparison_is_exported_as_a_whole(place, tmp_path):
    run("compare", place, place, "--out", tmp_path / "both")
    for options in (("--compile", "0/0"), ("--viewer", "letter"), ("--preset", "share-with-vendor")):
        message = refused("export", tmp_path / "both", tmp_path / "x.html", *options)
        assert "is a comparison" in " ".join(message.split())
    done = run("export", tmp_path / "both", tmp_path / "x.html")
    assert "with all artifacts of both sides." in done.stderr


def test_a_site_needs_a_folder(place, tmp_path):
    assert "DIR, the folder to write, is missing" in refused("site", place)
    done = run("site", place, tmp_path / "public", "--without-python")
    assert (
        "warning" not in done.stderr
        and f"View it: python -m http.server -d {tmp_path / 'public'}" in done.stderr
    )
    assert (tmp_path / "public" / "bundles" / Path(place).name / "manifest.json").exists()


def test_a_redacted_site_has_renamed_bundles(place, tmp_path):
    run("site", place, tmp_path / "public", "--without-python", "--preset", "share-with-vendor")
    assert (tmp_path / "public" / "bundles" / "bundle_1" / "manifest.json").exists()


def test_redacting(place, tmp_path):
    assert "OUT, the bundle to write, is missing" in refused("redact", place)
    done = run("redact", place, tmp_path / "out")
    assert "View it before you share it" in done.stderr and ", without " in done.stderr
    assert run("redact", place, tmp_path / "out", code=1).exception.code == "exists"
    run(
        "redact",
        place,
        tmp_path / "out",
        "--overwrite",
        "--preset",
        "share-with-vendor",
        "--drop",
        "metrics, caches",
    )
    assert {"metrics", "caches"} <= {*Bundle.open(tmp_path / "out").manifest["redacted"]["dropped"]}
    for keep in ("payloads", "graph_breaks.text"):
        message = refused("redact", place, tmp_path / "other", "--keep", keep, "--verify")
        assert "--verify finds the text that --keep keeps" in message
    assert not (tmp_path / "other").exists()


def test_a_preview_writes_nothing(place, tmp_path):
    done = run("redact", place, tmp_path / "out", "--preview")
    assert done.stdout and not (tmp_path / "out").exists()
    assert run("redact", place, "--preview").stdout == done.stdout


def test_a_key_file_gives_the_same_names(place, tmp_path):
    for name in ("a", "b"):
        run("redact", place, tmp_path / name, "--key-file", tmp_path / "key")
    one, other = (
        [row["function"] for row in Bundle.open(tmp_path / name).logs[0].table("compiles")] for name in "ab"
    )
    assert one == other and any(one)


def test_a_fork_says_what_to_read(tmp_path):
    done = run("fork", "starter", tmp_path / "mine")
    assert done.stderr == f"Wrote {tmp_path / 'mine'}. Next, read {tmp_path / 'mine' / 'README.md'}\n"
    assert (tmp_path / "mine" / "README.md").exists()


# ---- other commands


def test_documents(tmp_path):
    names = run("docs", "schema").stdout.split()
    assert {"compiles", "manifest"} <= {*names} and "compiles" in run("docs").stdout
    assert run("docs", "table").stdout.split() and run("docs", "core").stdout.startswith("#")
    assert json.loads(run("docs", "schema", "compiles").stdout)["title"] == "compiles"
    assert run("docs", "table", "compiles").stdout.endswith("\n") and run("docs", "format").stdout


def test_a_bundle_with_problems_is_not_valid(trace, tmp_path):
    build(discover([trace]), tmp_path / "out", jobs=1, codec="none")
    assert run("validate", tmp_path / "out").output == f"{tmp_path / 'out'}: no problems\n"
    (file,) = (tmp_path / "out" / "logs").rglob("compiles.jsonl")
    file.write_bytes(file.read_bytes().replace(b'"ok"', b'"no"').replace(b'"unfinished"', b'"no"'))
    done = CliRunner().invoke(cli, ["validate", str(tmp_path / "out")])
    assert done.exit_code == 1 and done.stdout and "problem" in done.stderr
    done = CliRunner().invoke(cli, ["validate", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 1 and json.loads(done.stdout)["ok"] is False


def test_a_report_for_tools_that_read_tlparse(place, tmp_path):
    (folder,) = {line.rpartition("/")[0] for line in run("legacy", place, tmp_path / "tl").stdout.split()}
    assert folder and (tmp_path / "tl").is_dir()
