"""The same program elsewhere: its problems have the same fingerprints.

fixtures/again has a second run of each program: in a different folder, with a different Python and hash seed,
and with the caches that a first run filled.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import PurePath

import pytest
import traces
import version_truths
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.bundle.restore import restored_bytes

AGAIN = traces.ROOT / "fixtures" / "again"
SCENARIOS = sorted(path.name for path in AGAIN.iterdir() if path.name in traces.FIXTURES)
PROGRAMS = sorted(path.name for path in (AGAIN / "2.13.0").iterdir())
# Problems of the first run only. With its profile (PGO), `grows` is dynamic from its first compile on.
GONE = {"recompiles": ["`grows` recompiled once: `x.size(0)` changed from `4` to `5`"]}
# Kinds about durations or cache contents.
OF_THE_RUN = {"cache-miss", "cache-bypass", "cache-error", "slow-span", "autotune", "guard-cost"}


def of_each_log(bundle):
    """Return the findings of each log, in the order of the logs' names."""
    return [log.findings() for log in sorted(bundle.logs, key=lambda log: log.id)]


def lasting(rows):
    return {row["fingerprint"] for row in rows if row["kind"] not in OF_THE_RUN}


def of_the_run(rows):
    """Return fingerprints by the subjects of the findings."""
    cause = {"slow-span": "span", "autotune": "field"}
    found = {}
    for row in rows:
        if row["kind"] in OF_THE_RUN:
            file, reason = row["file"] and PurePath(row["file"]).name, row["details"].get("reason")
            about = row["details"].get(cause.get(row["kind"], "cache")), reason and normalised(reason)
            found[row["kind"], row["function"], file, about] = row["fingerprint"]
    return found


def compare(here, there, gone=()):
    assert [row["title"] for row in here if row["fingerprint"] in lasting(here) - lasting(there)] == list(
        gone
    )
    assert lasting(there) <= lasting(here)
    ours, theirs = of_the_run(here), of_the_run(there)
    both = ours.keys() & theirs.keys()
    assert {key: ours[key] for key in both} == {key: theirs[key] for key in both}
    return len(both)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_program_elsewhere_has_the_same_fingerprints(built, root, name):
    one, other = of_each_log(built(root / "fixtures" / name / "trace")), of_each_log(built(AGAIN / name))
    assert len(one) == len(other)
    for here, there in zip(one, other, strict=True):
        compare(here, there, GONE.get(name, ()))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_short_program_elsewhere_has_the_same_fingerprints(built, root, name):
    (here,), (there,) = (
        of_each_log(built(root / "fixtures" / "versions" / "2.13.0" / name)),
        of_each_log(built(AGAIN / "2.13.0" / name)),
    )
    compare(here, there)


def test_the_runs_are_of_other_places(built, root):
    """Otherwise the tests above prove nothing."""
    for name in ("caches", "failures", "ranks_extra_break"):
        for path in (AGAIN / name).rglob("*.zst"):
            (log,) = built(path).logs
            files = {row["file"] for row in log.table("compiles") if row["file"]}
            assert any(file.startswith("/srv/elsewhere/project/") for file in files) and not any(
                file.startswith("/home/") for file in files
            )


def test_findings_that_depend_on_the_run_are_compared_too(built, root):
    pairs = [
        zip(
            of_each_log(built(root / "fixtures" / name / "trace")),
            of_each_log(built(AGAIN / name)),
            strict=True,
        )
        for name in SCENARIOS
    ]
    assert (
        sum(len(of_the_run(here).keys() & of_the_run(there).keys()) for pair in pairs for here, there in pair)
        > 3
    )


def regenerate(root):
    """Return the script of the fixtures as a module."""
    spec = importlib.util.spec_from_file_location("regenerate", root / "fixtures" / "regenerate.py")
    module = sys.modules["regenerate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_makes_them_all_and_no_path_of_a_machine_is_left(built, root):
    script = regenerate(root)
    paths = [
        *AGAIN.rglob("*.zst"),
        *(root / "fixtures" / "versions" / script.TORCH_VERSION).glob("*.log.zst"),
    ]
    assert len(paths) > 50
    for path in paths:
        (log,) = built(path).logs
        data = b"".join(restored_bytes(log))
        assert script.FOREIGN_PATH.search(data) is None and script.make_neutral(data, []) == data, path
    assert {
        path.name.removesuffix(".log.zst") for path in paths if path.parent.name == script.TORCH_VERSION
    } == {*script.PROGRAMS, *version_truths.PROGRAMS} - {"ddp"}
    assert set(SCENARIOS) <= set(script.SCENARIOS)
    assert sorted({*traces.FIXTURES} - {"huggingface"}) == SCENARIOS  # its models take minutes


TORCH = os.environ.get("TORCH_PYTHON") or sys.executable


def live(program, folder, seed):
    """Return the findings of a program that runs now, in its own folder and without old caches."""
    (folder / "project").mkdir(parents=True)
    shutil.copy(program, folder / "project" / "program.py")
    env = {
        **os.environ,
        "TORCH_TRACE": str(folder / "trace"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "PYTHONHASHSEED": seed,
        "OMP_NUM_THREADS": "1",
    }
    subprocess.run([TORCH, "program.py"], cwd=folder / "project", env=env, check=True, capture_output=True)
    build(discover([folder / "trace"]), folder / "bundle", jobs=1)
    (rows,) = of_each_log(Bundle.open(folder / "bundle"))
    return rows


@pytest.mark.parametrize("program", ["graph_breaks/program.py", "versions/programs/hidden.py"])
def test_live_runs_have_the_same_fingerprints(tmp_path, root, program):
    if (
        not shutil.which(TORCH)
        or subprocess.run([TORCH, "-c", "import torch"], capture_output=True).returncode != 0
    ):
        pytest.skip(
            "no torch: install torch here, or name a Python that has it in the environment variable"
            " TORCH_PYTHON"
        )
    here, there = (
        live(root / "fixtures" / program, tmp_path / folder, seed)
        for folder, seed in (("one", "1"), ("other/deep", "2"))
    )
    assert lasting(here)
    compare(here, there)
