"""A short run of scripts/fuzz: earlier faults, and cases that are the same in every run."""

import os
import random
import signal
import subprocess
import sys

import pytest

from fuzz import log_mutations, mutations, values
from fuzz.__main__ import fuzz, kept
from fuzz.bases import NAMES, base, log_bases
from fuzz.commands import ON_BUNDLES
from fuzz.runner import Runner
from fuzz.schema_walk import fields, place

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the runner needs pidfd_open and wait4")


@pytest.fixture(scope="module")
def runner():
    with Runner() as runner:
        yield runner


@pytest.mark.parametrize("command", sorted(ON_BUNDLES))
def test_a_sound_bundle_has_no_fault(command, runner):
    for name in ("small-none", "ranks-zstd", "failures-gzip"):
        assert runner.run_files(name, dict(base(name)), [], 3, [command]) == []
        assert runner.code == 0


def test_a_sound_log_has_no_fault(runner):
    assert runner.run_files("log", {"x.log": log_bases()[-1]}, [], 1, ["build"]) == []
    assert runner.code == 0


@pytest.mark.parametrize("only", ["bundles", "logs"])
def test_hostile_ones(only, runner):
    found, count = fuzz(runner, 60, 1, only, most=25)
    assert count >= 25 and {kind: fault for kind, (_, fault) in found.items()} == {}


def test_earlier_faults(runner):
    assert [fault for name in kept() for fault in runner.run(name)] == []


# ---- the fuzz itself


def test_the_same_seed_makes_the_same_case():
    assert (
        mutations.mutate("small-zstd", 5)
        == mutations.mutate("small-zstd", 5)
        != mutations.mutate("small-zstd", 6)
    )
    assert log_mutations.mutate(5) == log_mutations.mutate(5) != log_mutations.mutate(6)


def test_every_schema_that_a_bundle_uses_is_walked():
    used = {mutations.schema_of(path) for name in NAMES for path in base(name)} - {""}
    assert {
        "manifest",
        "log",
        "events",
        "metadata",
        "compiles",
        "stacks",
        "blobs",
        "artifacts",
        "rank_findings",
    } <= used
    assert all(fields(name) for name in used)
    rng = random.Random(1)
    document = [{"compile": "0/0", "restart_reasons": ["print"]}]
    assert {
        place(document, field, rng)[1] for field in fields("compiles") if place(document, field, rng)
    } >= {"compile", "status", "restart_reasons", 0}


def _broken(monkeypatch, runner, command):
    monkeypatch.setitem(ON_BUNDLES, "info", command)
    return [fault.kind for fault in runner.run_files("small-none", dict(base("small-none")), [], 1, ["info"])]


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (lambda case: {}["x"], "KeyError at"),
        (lambda case: _write(case.out.parent / "x", "") or 0, "left or changed files"),
        (lambda case: _write(case.out / "x", "") or 1, "left or changed files"),
        (lambda case: _write(case.bundle / "manifest.json", "{}") or 0, "left or changed files"),
        (lambda case: _write(case.out / "x", values.MARK) or 0, "brings a secret to light"),
        (lambda case: _write(case.bundle.parents[3] / "canary" / "x", "") or 0, "the canary was changed"),
        (lambda case: print("\x1b[31m") or 0, "on stdout"),
        (lambda case: print(f"a\n{values.FORGED}") or 0, "a forged line"),
        (lambda case: 1, "ends without a word"),
        (lambda case: len(bytearray(1_200 << 20)) * 0, "over 1 GB"),
        (lambda case: 5, "exit code 5"),
        (lambda case: os.kill(0, signal.SIGKILL), "signal 9"),
        (lambda case: 0 if os.fork() else signal.pause(), "a process is left"),
        (lambda case: subprocess.Popen(["sleep", "600"], start_new_session=True) and 0, "a process is left"),
    ],
)  # fmt: skip
def test_a_fault_is_seen(command, words, monkeypatch, runner):
    found = _broken(monkeypatch, runner, command)
    assert any(words in kind for kind in found), found
    if "canary" in words:
        (runner._canary / "x").unlink()
        runner._kept = runner._listing(runner._canary)
