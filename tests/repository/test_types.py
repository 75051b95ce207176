"""TypeScript, strict, accepts the viewers' JSDoc with the declarations from the schemas, without unused
names.
"""

import re
import subprocess

import pytest
import traces
from tlparse_bundle.serve.publish.fork import fork
from waiting import HANG_S

VIEWERS = traces.ROOT / "viewers"
TSC = VIEWERS / "node_modules" / "typescript" / "bin" / "tsc"
pytestmark = pytest.mark.skipif(not TSC.exists(), reason="typescript is missing: run 'npm ci' in viewers/")


def complaints(folder, *options):
    """Return TypeScript's errors for a folder with a jsconfig.json, without those in third-party decoders."""
    done = subprocess.run(
        ["node", TSC, "-p", folder / "jsconfig.json", "--pretty", "false", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    return [
        line
        for line in done.stdout.splitlines()
        if re.match(r"\S+\(\d+,\d+\): error|error", line) and "lib/vendor/" not in line.split("(")[0]
    ]


def test_viewers():
    assert complaints(VIEWERS, "--noUnusedLocals", "--noUnusedParameters") == []


def test_a_fork_can_be_checked_and_a_wrong_field_is_found(tmp_path):
    fork("starter", tmp_path / "mine")
    again = (
        "--incremental",
        "--tsBuildInfoFile",
        tmp_path / "seen",
    )  # unchanged files are not checked twice
    assert complaints(tmp_path / "mine", *again) == []
    main = tmp_path / "mine" / "main.js"
    text = main.read_text()
    assert text.count("compile.total_us === null") == 1
    main.write_text(text.replace("compile.total_us === null", "compile.total_ms === null"))
    assert ["total_ms" in line for line in complaints(tmp_path / "mine", *again)] == [True]
