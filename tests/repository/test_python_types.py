"""mypy, strict, accepts the examples of docs/reference/python-api.md and README.md, and rejects an unknown field.
(scripts/test checks the package.)
"""

import re
import shutil
import subprocess
import sys

import traces
from waiting import HANG_S

EXAMPLES = "\n\n".join(
    example
    for name in ("docs/reference/python-api.md", "README.md")
    for example in re.findall(
        r"^```python\n(.*?)^```$", (traces.ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
)


def complaints(source):
    """Return mypy's error lines for a file. Uses the cache of scripts/test."""
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--hide-error-context",
        str(source),
    ]
    done = subprocess.run(
        command, cwd=traces.ROOT, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def test_the_examples_run(tmp_path, built, monkeypatch):
    """All of them in turn, on a bundle of a fixture."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(built(traces.ROOT / "fixtures" / "recompiles" / "trace").location, "out")
    code = EXAMPLES.replace('"/tmp/trace"', repr(str(traces.ROOT / "fixtures" / "recompiles" / "trace")))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "0/0 ok" in done.stdout


def test_the_examples_have_the_right_types(tmp_path):
    examples = tmp_path / "examples.py"
    examples.write_text(EXAMPLES, encoding="utf-8")
    assert "Bundle.open" in EXAMPLES and complaints(examples) == []
    examples.write_text(
        'from tlparse_bundle import Bundle\n\nfor row in Bundle.open("out").logs[0].table("compiles"):\n   '
        ' print(row["compile"], row["no_such_field"])\n'
    )
    (complaint,) = complaints(examples)
    assert "no_such_field" in complaint
