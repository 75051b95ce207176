"""Python for browsers: its files and their places."""

import io
import json
import zipfile
import zlib

import pytest
import traces
from starlette.testclient import TestClient
from tlparse_bundle import __version__
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.serve.browser_python import (
    ARCHIVES,
    FOLDER,
    package_archive,
    python_folder,
    viewers_archive,
)
from tlparse_bundle.serve.http.app import create_app

MAX_WHEEL_BYTES = 8_500_000  # of which 6.3 MB are Python for browsers
needs_python = pytest.mark.skipif(
    python_folder() is None, reason="viewers/vendor/python is missing: install the checkout with Node present"
)


def names(archive):
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def test_the_package_is_whole_and_equal_each_time():
    found = names(package_archive())
    package = traces.ROOT / "preprocessor"
    assert {name for name in found if name.endswith(".py")} == {
        path.relative_to(package).as_posix() for path in package.rglob("*.py")
    }
    assert f'"{__version__}"'.encode() in zipfile.ZipFile(io.BytesIO(package_archive())).read(
        "tlparse_bundle/__init__.py"
    )
    schemas = {path.name for path in (traces.ROOT / "schema").rglob("*.schema.json")}
    assert {name.rpartition("/")[2] for name in found if "/_shared/" in name} == schemas
    first = package_archive()
    package_archive.cache_clear()
    assert package_archive() == first


def test_the_viewers_are_those_that_an_export_needs():
    found = names(viewers_archive())
    assert all(name.startswith("tlparse_bundle/_shared/viewers/") for name in found)
    assert not [name for name in found if "node_modules" in name or "vendor/python" in name]
    assert {
        "tlparse_bundle/_shared/viewers/default/index.html",
        "tlparse_bundle/_shared/viewers/lib/page/tokens.css",
        "tlparse_bundle/_shared/viewers/lib/page/icon.svg",
    } <= set(found)


@needs_python
def test_it_is_the_version_that_is_pinned():
    pinned = json.loads((shared_files() / "viewers" / "package-lock.json").read_text())["packages"][
        "node_modules/pyodide"
    ]["version"]
    assert json.loads((python_folder() / "package.json").read_text())["version"] == pinned


@needs_python
def test_the_wheel_stays_small():
    """Count the wheel's files as compressed in it.

    A hand-built wheel has some 60 kB more, the list of files.
    """
    shared = [
        path
        for folder in ("schema", "viewers")
        for path in (shared_files() / folder).rglob("*")
        if path.is_file() and "node_modules" not in path.parts
    ]
    code = (traces.ROOT / "preprocessor").rglob("*.py")
    assert sum(len(zlib.compress(path.read_bytes())) for path in (*shared, *code)) < MAX_WHEEL_BYTES - 100_000


@needs_python
def test_a_server_serves_it_and_links_to_its_page():
    with TestClient(create_app({}), base_url="http://127.0.0.1", follow_redirects=False) as client:
        for name, made in ARCHIVES.items():
            answer = client.get(f"/viewers/{FOLDER}/{name}")
            assert (
                answer.status_code == 200
                and answer.content == made()
                and answer.headers["content-type"] == "application/zip"
            )
        assert client.get(f"/viewers/{FOLDER}/pyodide.asm.wasm").headers["content-type"] == "application/wasm"
        assert (
            client.get(f"/viewers/{FOLDER}/pyodide.mjs").headers["content-type"].startswith("text/javascript")
        )
        assert client.get(f"/viewers/{FOLDER}/other.zip").status_code == 404
        assert (
            "'wasm-unsafe-eval'"
            in client.get("/viewers/lib/local/python-worker.js").headers["content-security-policy"]
        )
        assert client.get("/").headers["location"] == "/viewers/open/"
