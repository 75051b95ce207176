"""Workflows: valid under the public schema, and the smoke test for other systems works here."""

import re
import subprocess
import sys

from traces import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_workflows_fit_the_public_schema():
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_public_schema_refuses_a_step_that_does_nothing(tmp_path):
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs:\n  it:\n    runs-on: ubuntu-latest\n    steps:\n      - runs: true\n")
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", wrong],
        capture_output=True,
    )
    assert done.returncode == 1


def test_each_program_that_a_workflow_runs_exists():
    programs = {
        name for path in WORKFLOWS for name in re.findall(r"run: ((?:scripts|\.ci)/\S+)", path.read_text())
    }
    assert programs == {".ci/run", "scripts/test", "scripts/release", "scripts/site", "scripts/versions"}
    assert all((ROOT / name).stat().st_mode & 0o111 for name in programs)


def test_the_smoke_test_of_other_systems_works_here(tmp_path):
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    commands = re.findall(r"^ +(?:- run: )?((?:tlparse-bundle|diff) .*)$", text, re.MULTILINE)
    assert [command.split()[:2] for command in commands][-2:] == [
        ["tlparse-bundle", "restore"],
        ["diff", "-r"],
    ]
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    for command in commands:
        words = command.split()
        program = [sys.executable, "-m", "tlparse_bundle"] if words[0] == "tlparse-bundle" else ["diff"]
        done = subprocess.run([*program, *words[1:]], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
