"""The bundle of one small fixture, byte for byte.

tests/golden/killed is the bundle of fixtures/killed, not compressed, so that a diff can be read.
A change of the preprocessor that was not meant to change bundles fails here.

Rewrite it when the change of the bundle is the purpose of your change: a new table or
field (raise the minor version of the format), a mended value, a better text. Then
run

    TLPARSE_BUNDLE_UPDATE_GOLDEN=1 scripts/test tests/bundle/test_golden.py

read the diff line by line, and say in the commit message why each part of it changed. It is wrong when you
cannot explain the diff. A new version of the program alone changes nothing here.
"""

import difflib
import json
import os
import shutil

import pytest
import traces
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate

FIXTURE = traces.ROOT / "fixtures" / "killed" / "trace"
GOLDEN = traces.ROOT / "tests" / "golden" / "killed"
MAX_BYTES = 200_000


def without_version(files):
    """The same files; the version of the program in the manifest is 0."""
    manifest = json.loads(files["manifest.json"])
    manifest["producer"]["version"] = "0"
    return {**files, "manifest.json": json.dumps(manifest, indent=2).encode() + b"\n"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("golden") / "bundle"
    build(discover([FIXTURE]), out, codec="none", jobs=1)
    files = without_version(traces.files(out))
    if os.environ.get("TLPARSE_BUNDLE_UPDATE_GOLDEN"):
        shutil.rmtree(GOLDEN, ignore_errors=True)
        for path, data in files.items():
            (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GOLDEN / path).write_bytes(data)
    return files


def test_the_same_files(made):
    assert sorted(made) == sorted(traces.files(GOLDEN))


def diff(path, old, new):
    """A readable diff of a file, JSON indented."""
    if path.endswith(".json"):
        old, new = (
            json.dumps(json.loads(data), indent=1, ensure_ascii=False).encode() for data in (old, new)
        )
    lines = difflib.unified_diff(
        old.decode().splitlines(), new.decode().splitlines(), f"golden {path}", "now", lineterm="", n=1
    )
    return "\n".join(list(lines)[:40])


def test_the_same_bytes(made):
    golden = traces.files(GOLDEN)
    differing = [
        diff(path, golden[path], made[path]) or f"{path}: the order of keys"
        for path in golden
        if made.get(path) != golden[path]
    ]
    assert differing == [], "\n".join(differing)


def test_golden_is_sound():
    assert validate(Bundle.open(GOLDEN)) == []


def test_golden_is_small():
    assert sum(len(data) for path, data in traces.files(GOLDEN).items() if path != "schemas.json") < MAX_BYTES
