"""The command line for users: messages, exit codes, output streams."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import click
import pytest
import traces
import zstandard
from log_builder import log, record
from tlparse_bundle.cli.main import GROUPS, cli
from tlparse_bundle.render.info import headlines
from waiting import HANG_S, until
from warm_command import run_warm

COMMANDS = ("build", "serve", "info", "cat", "validate", "restore", "docs")
GOOD = log("dynamo_start 0/0 @0\n artifact:a/b 0/0\n | text\n artifact:a/b 0/0\n | more\n artifact:empty 0/0")


@pytest.fixture
def run(tmp_path, root):
    """Return run(*arguments): the finished process, started in an empty folder, checked for no traceback."""

    def run_it(*arguments, **environment):
        variables = {**os.environ, "PYTHONPATH": str(root / "preprocessor"), **environment}
        command = [sys.executable, "-m", "tlparse_bundle", *map(str, arguments)]
        if environment:
            done = subprocess.run(
                command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=HANG_S
            )
        else:
            done = run_warm(arguments, tmp_path)
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in done.stderr + done.stdout
        return done

    return run_it


@pytest.fixture
def trace(tmp_path):
    """A folder with a good log."""
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "dedicated_log_torch_trace_rank_0_x.log").write_bytes(GOOD)
    return tmp_path / "trace"


@pytest.fixture
def out(trace, run):
    assert run("trace", "out", "-q").returncode == 0
    return trace.parent / "out"


# ---- help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, run):
    done = run(command, "--help")
    assert done.returncode == 0 and done.stderr == ""
    assert (
        "Example" in done.stdout and f"tlparse-bundle {'' if command == 'build' else command}" in done.stdout
    )


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_the_commands(option, run):
    done = run(option)
    assert done.returncode == 0 and all(f"  {command} " in done.stdout for command in COMMANDS)


def test_version_prints_tool_and_format(run):
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith("tlparse-bundle ") and "(format 2." in done.stdout


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option, root):
    code = (
        "import sys; sys.argv = ['x', '%s']\nfrom tlparse_bundle.cli.main import main\ntry: main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)" % option
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor")},
        capture_output=True,
        text=True,
    )
    loaded = set(done.stderr.split())
    heavy = {"jsonschema", "starlette", "uvicorn", "multiprocessing", "concurrent.futures"} | (
        {"zstandard", "orjson"} if option == "--help" else set()
    )
    assert "click" in loaded and not heavy & loaded


def test_a_command_loads_no_other(root):
    code = (
        "import sys; sys.argv = ['x', 'compare', '--help']\nfrom tlparse_bundle.cli.main import main\ntry:"
        " main()\nexcept SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor")},
        capture_output=True,
        text=True,
    )
    assert {name for name in done.stderr.split() if name.startswith("tlparse_bundle.cli.")} & {
        f"tlparse_bundle.cli.{name}"
        for name in ("build", "check", "compare", "report", "run", "serve", "share", "trend")
    } == {"tlparse_bundle.cli.compare"}


# ---- build


def test_build_is_the_default_command(trace, run):
    one, other = run("trace", "one"), run("build", "trace", "other")
    assert one.returncode == other.returncode == 0
    assert traces.files(trace.parent / "one") == traces.files(trace.parent / "other")


def test_build_reports_on_stderr(trace, run):
    done = run("trace", "out")
    assert done.stdout == ""
    assert (
        "out: 4 events from 1 log; " in done.stderr
        and "1 code object, 1 compile. 1 compile did not end." in done.stderr
        and "tlparse-bundle serve out" in done.stderr
    )


def test_quiet_is_silent(trace, run):
    done = run("trace", "out", "-q")
    assert (done.stdout, done.stderr) == ("", "")


def test_json_is_the_only_output(trace, run):
    done = run("trace", "out", "--json")
    (row,) = json.loads(done.stdout)["logs"]
    assert (row["id"], row["rank"], row["event_count"]) == ("rank_0_x", 0, 4)
    assert json.loads(done.stdout)["ok"] is True and json.loads(done.stdout)["path"] == "out"


def test_diagnostics_are_summed_up(trace, run):
    (trace / "dedicated_log_torch_trace_rank_1_y.log").write_bytes(
        GOOD + b"noise\n" * 3 + record("a", payload="x", md5="0" * 32)
    )
    done = run("trace", "out")
    assert done.returncode == 0
    assert "warning: 3 × not-a-record" in done.stderr and "warning: 1 × payload-md5" in done.stderr


def test_strict_builds_and_exits_with_3_when_a_log_is_damaged(trace, run):
    assert run("trace", "good", "--strict").returncode == 0  # an unknown year is not damage
    (trace / "dedicated_log_torch_trace_rank_1_y.log").write_bytes(GOOD + b"noise\n")
    assert run("trace", "damaged", "--strict", "-q").returncode == 3
    assert run("info", "damaged").returncode == 0


@pytest.mark.parametrize("option", ["-q", "--json"])
def test_strict_names_the_problems_of_each_log(option, trace, run):
    (trace / "dedicated_log_torch_trace_y.log").write_bytes(
        GOOD + b"noise\n" * 3 + record("a", payload="x", md5="0" * 32) + b"\n"
    )
    (trace / "dedicated_log_torch_trace_z.log").write_bytes(GOOD[:-9])
    done = run("trace", "out", "--strict", option)
    assert done.returncode == 3 and "Error: --strict" in done.stderr
    assert "  dedicated_log_torch_trace_y.log: 3 × not-a-record, 1 × payload-md5\n" in done.stderr
    assert "  dedicated_log_torch_trace_z.log: 1 × record-cut\n" in done.stderr
    assert "rank_0_x" not in done.stderr.partition("Error:")[2]  # nor the empty line, which is not damage
    assert "blank-line" not in done.stderr.partition("Error:")[2]
    assert run("trace", "lenient", option).returncode == 0


def test_ranks_choose_logs(trace, run):
    for rank in (1, 3, 4, 5, 10):
        (trace / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(log("a"))
    done = run("trace", "out", "--ranks", "0, 3-5,99", "--json", "-q")
    assert [row["rank"] for row in json.loads(done.stdout)["logs"]] == [0, 3, 4, 5]
    assert run("trace", "none", "--ranks", "77").returncode == 1
    for wrong in ("a", "1-", "-1", "1,,2", "1.5", ""):
        assert run("trace", "none", f"--ranks={wrong}").returncode == 2


def test_latest_takes_the_newest_run(trace, run):
    old, new = (
        trace / "dedicated_log_torch_trace_rank_0_x.log",
        trace / "dedicated_log_torch_trace_rank_0_y.log",
    )
    new.write_bytes(GOOD)
    os.utime(old, (time.time() - 9e6,) * 2)
    done = run("trace", "out", "--latest", "--json", "-q")
    assert [row["source"]["name"] for row in json.loads(done.stdout)["logs"]] == [new.name]


def test_jobs_and_codec(trace, run):
    assert run("trace", "out", "--jobs", "2", "--codec", "none", "-q").returncode == 0
    assert (trace.parent / "out/logs/rank_0_x/log.json").exists()


# ---- without OUT, and the wrong way round


def test_without_out_the_bundle_is_named_after_the_trace(trace, run, tmp_path):
    done = run("trace")
    assert (
        done.returncode == 0
        and "trace-bundle: 4 events" in done.stderr
        and "View it: tlparse-bundle serve trace-bundle" in done.stderr
    )
    assert traces.files(tmp_path / "trace-bundle") and run("validate", "trace-bundle").returncode == 0
    again = run("trace")
    assert (
        again.returncode == 1
        and "'trace-bundle' already exists" in again.stderr
        and "--overwrite" in again.stderr
    )
    assert run("trace/", "--overwrite", "-q").returncode == 0
    (log_file,) = trace.iterdir()
    (tmp_path / "a.b.log.gz").write_bytes(gzip.compress(log_file.read_bytes()))
    assert json.loads(run(f"{tmp_path}/a.b.log.gz", "-q", "--json").stdout)["path"] == "a.b-bundle"
    (tmp_path / "notes-bundle").mkdir()
    (tmp_path / "notes-bundle" / "mine.txt").write_text("mine")
    trace.rename(tmp_path / "notes")
    refused = run("notes", "--overwrite")
    assert (
        refused.returncode == 1
        and "is not a bundle" in refused.stderr
        and (tmp_path / "notes-bundle" / "mine.txt").exists()
    )


def test_a_bundle_given_as_a_trace_is_named(out, run):
    for arguments in (["out"], ["out", "other"], ["trace", "out", "other"]):
        done = run(*arguments)
        assert (
            done.returncode == 1
            and "'out' is a bundle, not a trace" in done.stderr
            and "tlparse-bundle serve out" in done.stderr
        )
    assert sorted(path.name for path in out.parent.iterdir()) == ["out", "trace"]


# ---- mistakes


@pytest.mark.parametrize(
    "arguments,code,words",
    [
        (["nowhere", "out"], 1, "'nowhere' does not exist"),
        (["merge", "trace"], 2, "OUT, the bundle to write, is missing."),
        (["trace", "notes.txt"], 1, "'notes.txt' exists and is not a bundle"),
        (["notes.txt", "out"], 1, "'notes.txt' is not a TORCH_TRACE log"),
        (["empty", "out"], 1, "'empty' has no TORCH_TRACE log"),
        (["hollow.log", "out"], 1, "'hollow.log' is empty"),
        (["trace", "notes.txt/out"], 1, "cannot be written"),
        (["trace", "out", "--jobs", "0"], 2, "--jobs"),
        (["trace", "out", "--codec", "rar"], 2, "--codec"),
        (["trace", "out", "--frobnicate"], 2, "--frobnicate"),
        (["valdate", "out"], 2, "Did you mean 'validate'?"),
        (["inof", "out"], 2, "Did you mean 'info'?"),
        (["serv", "out"], 2, "Did you mean 'serve'?"),
        (["serving"], 2, "no command or file 'serving'. Did you mean 'serve'?"),
        (["nonsense"], 2, "no command or file 'nonsense'. For all commands: tlparse-bundle --help"),
        (["nonsense.log"], 1, "'nonsense.log' does not exist"),
        (["info", "nowhere"], 1, "nowhere is not a bundle"),
        (["info", "trace"], 1, "trace is not a bundle"),
        (["info"], 2, "Missing argument"),
        (["serve", "nowhere"], 1, "'nowhere' does not exist"),
        (["validate", "notes.txt"], 1, "notes.txt is not a bundle"),
        (["cat", "trace", "x"], 1, "trace is not a bundle"),
        (["restore", "trace", "x"], 1, "trace is not a bundle"),
        (["docs", "schema", "nothing"], 1, "unknown schema 'nothing'"),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(arguments, code, words, trace, run):
    (trace.parent / "notes.txt").write_text("shopping list")
    (trace.parent / "hollow.log").write_bytes(b"")
    (trace.parent / "empty").mkdir()
    before = traces.files(trace.parent)
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in done.stderr and "Error: " in done.stderr
    assert traces.files(trace.parent) == before


def test_an_error_as_json(trace, run):
    done = run("nowhere", "out", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)
    assert (
        error["ok"] is False
        and error["error"]["code"] == "not-found"
        and "nowhere" in error["error"]["message"]
    )


def test_a_file_with_the_name_of_a_mistyped_command_is_a_file(trace, run):
    (trace.parent / "inof").write_bytes(GOOD)
    assert run("inof", "out", "-q").returncode == 0


def test_overwrite(trace, run, out):
    again = run("trace", "out")
    assert again.returncode == 1 and "--overwrite" in again.stderr
    assert run("trace", "out", "--overwrite").returncode == 0


# ---- looking at a bundle


def test_info(out, run):
    done = run("info", "out")
    assert done.returncode == 0 and "rank_0_x" in done.stdout and "0/0" in done.stdout
    data = json.loads(run("info", "out", "--json").stdout)
    assert data["ok"] is True and [c["compile"] for c in data["compiles"]["rank_0_x"]] == ["0/0"]


@pytest.mark.parametrize(
    "what,text",
    [("rank_0_x/0/0/a/b", "text"), ("rank_0_x/0/0/a/b#2", "more"), ("rank_0_x/timeline", "[\n\n]")],
)
def test_cat(what, text, out, run):
    done = run("cat", "out", what)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, text, "")


def test_cat_lists_alternatives(out, run):
    done = run("cat", "out", "rank_0_x/0/0/c")
    assert done.returncode == 1 and done.stdout == "" and "a/b" in done.stderr


ATTEMPTS = """
artifact:graph_break_reason 1/0
 | stopped
artifact:inductor_output_code 1/0_1
 | code
artifact:inductor_output_code 1/0_2
 | other
artifact:a 2/0_1
 | only
"""


def test_cat_names_the_attempt_with_the_artifact(tmp_path, run):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for rank in range(1 + (name == "two")):
            (tmp_path / name / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(log(ATTEMPTS))
        assert run(name, "-q").returncode == 0
    done = run("cat", "one-bundle", "1/0/inductor_output_code")  # there is one log: no need to name it
    assert done.returncode == 1 and "has it in attempts 1/0_1, 1/0_2" in done.stderr
    assert (
        "Use one of: rank_0_x/1/0_1/inductor_output_code, or rank_0_x/1/0_2/inductor_output_code"
        in done.stderr
    )
    assert run("cat", "one-bundle", "1/0_1/inductor_output_code").stdout.strip() == "code"
    assert (
        run("cat", "one-bundle", "rank_0_x/2/0/a").stdout
        == run("cat", "one-bundle", "rank_0_x/2/0_1/a").stdout
        != ""
    )  # no other attempt has it
    assert "no compile '3/0'" in run("cat", "one-bundle", "rank_0_x/3/0/a").stderr
    several = run("cat", "two-bundle", "1/0_1/inductor_output_code")
    assert (
        several.returncode == 1
        and "Use one of: rank_0_x/1/0_1/inductor_output_code, rank_1_x/1/0_1/inductor_output_code"
        in several.stderr
    )


def test_validate(out, run):
    done = run("validate", "out")
    assert (done.returncode, done.stdout) == (0, "out: no problems\n")
    assert json.loads(run("validate", "out", "--json").stdout) == {"ok": True, "problems": []}
    next(out.glob("blobs/*/*")).unlink()
    assert run("validate", "out").returncode == 1
    damaged = run("validate", "out", "--json")
    assert (
        damaged.returncode == 1
        and json.loads(damaged.stdout)["ok"] is False
        and json.loads(damaged.stdout)["problems"]
    )


def test_restore(out, trace, run):
    done = run("restore", "out", "again")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1
    assert traces.files(out.parent / "again") == traces.files(trace)
    assert run("restore", "out", "again").returncode == 1


def test_docs_prints_the_schemas(run, root):
    asked = run("docs")
    assert asked.returncode == 0 and all(
        words in asked.stdout for words in ("docs format", "docs schema NAME", "graph_breaks", "manifest")
    )
    assert run("docs", "format").stdout == (root / "docs" / "json-format.md").read_text(encoding="utf-8")
    names = run("docs", "schema").stdout.split()
    assert {"manifest", "events", "compiles"} <= set(names)
    assert json.loads(run("docs", "schema", "events").stdout) == json.loads(
        (root / "schema/events.schema.json").read_text()
    )


def test_no_color_and_no_terminal_write_no_escapes(trace, run):
    for environment in ({}, {"NO_COLOR": "1"}):
        done = run("trace", "out", "--overwrite", **environment)
        assert "\x1b" not in done.stderr + done.stdout


def test_a_closed_pipe_is_not_an_error(out, root):
    command = (
        f"{sys.executable} -m tlparse_bundle cat out logs/rank_0_x/log.json.zst | head -c 1; exit"
        " ${PIPESTATUS[0]}"
    )
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=out.parent,
        env={**os.environ, "PYTHONPATH": str(root / "preprocessor")},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr and done.stdout == "{"


# ---- completion


@pytest.mark.parametrize(
    "typed,words",
    [
        ("se", {"serve"}),
        ("export out report.html --viewer pro", {"provenance"}),
        ("fork m", {"multirank"}),
        ("export out report.html --compile ", {"0/0"}),
        ("cat out ", {"rank_0_x/0/0/", "rank_0_x/timeline"}),
        ("cat out rank_0_x/0/", {"rank_0_x/0/0/a/b", "rank_0_x/0/0/a/b#2", "rank_0_x/0/0/empty"}),
        ("cat nowhere x", set()),
        ("report out --log ", {"rank_0_x"}),
        ("docs schema graph_", {"graph_breaks", "graph_break_records", "graph_executions", "graph_tensors"}),
    ],
)
def test_a_shell_completes_existing_names(typed, words, out, run):
    done = run(
        _TLPARSE_BUNDLE_COMPLETE="bash_complete",
        COMP_WORDS=f"tlparse-bundle {typed}",
        COMP_CWORD=str(len(typed.split(" "))),
    )
    found = {line.partition(",")[2] for line in done.stdout.splitlines() if line.startswith("plain,")}
    assert done.returncode == 0 and done.stderr == "" and found == words, done.stdout


def test_a_shell_completes_traces_and_bundles_as_files(out, run):
    for typed in ("tr", "info o", "serve o", "cat o"):
        done = run(
            _TLPARSE_BUNDLE_COMPLETE="bash_complete",
            COMP_WORDS=f"tlparse-bundle {typed}",
            COMP_CWORD=str(len(typed.split())),
        )
        assert f"file,{typed.split()[-1]}" in done.stdout.splitlines(), typed


# ---- Ctrl-C


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("whole_group", [False, True])
def test_ctrl_c_leaves_nothing_and_exits_with_130(jobs, whole_group, trace, root):
    # Compressed files of some GB of records, so a signal always arrives in the middle of the work.
    data = zstandard.compress(
        b"".join(record(f"artifact:a {i}/0", payload=f"{i}\n" * 500) for i in range(2_000))
    )
    (trace / "dedicated_log_torch_trace_rank_0_x.log").unlink()
    for rank in (0, 1):
        (trace / f"dedicated_log_torch_trace_rank_{rank}_x.log.zst").write_bytes(data * 500)
    environment = {**os.environ, "PYTHONPATH": str(root / "preprocessor")}
    command = [sys.executable, "-m", "tlparse_bundle", "trace", "out", "--jobs", jobs]
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored by inheritance when these tests run in the background of a shell
    with subprocess.Popen(
        command,
        cwd=trace.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        signal.signal(signal.SIGINT, before)
        until(lambda: process.poll() is not None or any(trace.parent.glob(".out.*.partial/**/*.zst")))
        assert process.poll() is None, process.stderr.read()
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=HANG_S)
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr and "Interrupted" in stderr
    assert [path.name for path in trace.parent.iterdir()] == ["trace"]


# ---- help


def test_every_command_stands_under_one_heading():
    listed = [name for commands in GROUPS.values() for name in commands]
    assert sorted(listed) == cli.list_commands(click.Context(cli))


def test_the_short_help_of_every_command_is_one_full_sentence(run):
    lines = run("--help").stdout.split("\n")
    for heading, commands in GROUPS.items():
        start = lines.index(f"{heading}:") + 1
        rows = [line.split(None, 1) for line in lines[start : start + len(commands)]]
        assert [row[0] for row in rows] == list(commands), "a short help takes two lines"
        assert all(row[1].endswith(".") and "..." not in row[1] for row in rows)


def test_report_shows_the_kinds_that_are_named(run, root):
    run("build", root / "fixtures" / "recompiles", "out")

    def kinds(*options):
        done = run("report", "out", "--format", "json", *options)
        return {row["kind"] for log in json.loads(done.stdout)["logs"] for row in log["findings"]}

    every = kinds()
    assert {"recompile", "recompile-limit"} <= every
    assert kinds("--kind", "recompile") == {"recompile"}
    assert kinds("--kind", "recompile", "--kind", "recompile-limit") == {"recompile", "recompile-limit"}


@pytest.mark.parametrize(("count", "expected"), [(1, ["f0"]), (2, ["a: f0", "b: f1"])])
def test_headlines_name_their_logs_if_there_are_several(count, expected):
    found = {"error": 0, "warning": 0}
    rows = [
        {"id": "ab"[number], "summary": {"text": f"f{number}", "findings": found, "compile_us": 9 - number}}
        for number in range(count)
    ]
    assert headlines(rows) == expected
