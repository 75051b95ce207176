"""Output of the command line: no name from a log, bundle or folder moves the cursor or imitates our lines."""

import ast
import json
import os
import re
import subprocess
import sys

import click
import pytest
from log_builder import log, raw_record, record
from tlparse_bundle.cli import main as command_line
from tlparse_bundle.cli import output
from traces import ROOT, rewrite
from warm_command import run_warm

EVIL = "a\x1b[2J\x1b]0;title\x07\x9b31m\u202ey\x7f\u2028\nError: FORGED"
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def run(folder, *words, **environment):
    if not environment:
        return run_warm(words, folder)
    command = [sys.executable, "-m", "tlparse_bundle", *map(os.fspath, words)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "preprocessor"), **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)


def check(done):
    """Check that the output is clean and holds no line made by a name."""
    for stream in (done.stdout, done.stderr):
        text = stream.decode("utf-8")
        assert not UNSEEN.search(text), ascii(text)
        assert not re.search(r"^Error: FORGED", text, re.MULTILINE), text
    return done.stdout.decode() + done.stderr.decode()


@pytest.fixture
def bundle(tmp_path):
    metrics = {"co_name": EVIL, "co_filename": EVIL, "co_firstlineno": 1}
    data = (
        record("dynamo_start 0/0")
        + record("compilation_metrics 0/0 " + json.dumps(metrics))
        + raw_record(
            json.dumps(
                {"artifact": {"name": EVIL, "encoding": "string"}, "frame_id": 0, "frame_compile_id": 0}
            ),
            "text",
        )
    )
    (tmp_path / "x.log").write_bytes(data + b"V0401 12:00:00.000000 7 a.py:1] {\n")
    assert run(tmp_path, "x.log", "out", "--codec", "none", "-q").returncode == 0
    return tmp_path / "out"


def test_info_of_names_from_a_log(bundle):
    done = run(bundle.parent, "info", bundle)
    assert (
        r"a\x1b[2J\x1b]0;title\x07\x9b31m\u202ey\x7f\u2028\nError: FORGED" in check(done)
        and done.returncode == 0
    )
    assert json.loads(run(bundle.parent, "info", bundle, "--json").stdout)["ok"]


@pytest.mark.parametrize(
    "command",
    [
        ["info"],
        ["validate"],
        ["validate", "--json"],
        ["restore", "new"],
        ["legacy", "new"],
        ["cat", "x/0/0/nothing"],
        ["cat", EVIL],
        ["site", "new"],
        ["merge", "new"],
    ],
)
@pytest.mark.parametrize(
    "field", ["id", "torch_version", "path", "source", "compile", "producer", "statuses"]
)
def test_names_of_a_bundle(command, field, bundle):
    def change(manifest):
        row = manifest["logs"][0]
        if field == "producer":
            manifest["producer"] = {"name": EVIL, "version": EVIL}
        elif field == "source":
            row["source"]["name"] = EVIL
        elif field == "statuses":
            row["summary"]["statuses"] = {EVIL: 1}
        elif field != "compile":
            row[field] = EVIL

    rewrite(bundle, "manifest.json", change)
    if field == "compile":
        rewrite(
            bundle, "logs/x/compiles.jsonl", lambda rows: rows[-1].update({"compile": EVIL, "status": EVIL})
        )
    name, *words = command
    check(run(bundle.parent, name, bundle, *words))


@pytest.mark.parametrize(
    "name", [EVIL + ".log", "\x1b[31m.log", b"\xff\x1b.log".decode("utf-8", "surrogateescape")]
)
@pytest.mark.parametrize("data", [log("a"), b"no log\n", b"V0401 12:00:00.000000 7 a.py:1] {\n"])
def test_names_of_files(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    for words in (
        [name, "out", "--strict", "--overwrite"],
        [".", name + "-out"],
        [name],
        ["info", name],
        ["--", name, name],
        ["site", name],
        ["serve", name + "/x"],
        ["bild", name],
    ):
        check(run(tmp_path, *words))
    assert [path for path in tmp_path.iterdir() if path.suffix == ".log"] == [tmp_path / name]


def test_two_logs_of_one_name(tmp_path):
    for folder in ("one", "two\nError: FORGED"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.log").write_bytes(log("a"))
    done = run(tmp_path, ".", "out")
    assert "two logs have the same name" in check(done) and done.returncode == 1


def test_an_encoding_that_lacks_a_letter(bundle):
    done = run(bundle.parent, "info", bundle, PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stdout.isascii()
    done = run(bundle.parent, "x.log", "new", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and rb"1 \xd7 json-syntax" in done.stderr


def test_unexpected_errors(monkeypatch, capsys):
    def broken(**options):
        raise RuntimeError(EVIL)

    monkeypatch.setattr(command_line.cli, "main", broken)
    with pytest.raises(SystemExit) as end:
        command_line.main()
    printed = capsys.readouterr().err
    assert end.value.code == 1 and "RuntimeError" in printed and not UNSEEN.search(printed)


def test_messages_of_click(monkeypatch, capsys):
    def misused(**options):
        raise click.UsageError(EVIL)

    monkeypatch.setattr(command_line.cli, "main", misused)
    with pytest.raises(SystemExit) as end:
        command_line.main()
    printed = capsys.readouterr().err
    assert end.value.code == 2 and not UNSEEN.search(printed) and "\nError: FORGED" not in printed


def test_a_payload_is_raw(tmp_path):
    (tmp_path / "x.log").write_bytes(record("artifact:notes 0/0", payload=b"\x1b[2J\xff"))
    assert run(tmp_path, "x.log", "out", "-q").returncode == 0
    assert run(tmp_path, "cat", "out", "x/0/0/notes").stdout == b"\x1b[2J\xff"


def test_everything_goes_through_the_door():
    doors = {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
    for path in (ROOT / "preprocessor" / "tlparse_bundle").rglob("*.py"):
        if path.name not in (
            "output.py",
            "sitecustomize.py",
        ):  # the latter runs in the program that is profiled
            calls = [
                ast.unparse(node.func)
                for node in ast.walk(ast.parse(path.read_bytes()))
                if isinstance(node, ast.Call)
            ]
            assert doors.isdisjoint(calls), path


@pytest.mark.parametrize("columns, width", [("60", 60), ("300", 100), ("0", 80), ("many", 80), ("", 80)])
def test_lines_are_as_wide_as_the_terminal(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert output.width() == width
