"""Releases for users: documented names and types, the output of scripts/release, the documentation site."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from urllib.parse import unquote, urlsplit

import pytest
import tlparse_bundle
import traces
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.row_objects import Artifact, Compile, Event
from waiting import HANG_S

API = (traces.ROOT / "docs" / "reference" / "python-api.md").read_text(encoding="utf-8")
CLASSES = {
    "Bundle": Bundle,
    "Log": Log,
    "Compile": Compile,
    "Artifact": Artifact,
    "Event": Event,
    "BundleError": BundleError,
}


def test_every_documented_name_is_there(built):
    bundle = built(traces.ROOT / "fixtures" / "recompiles" / "trace")
    log = bundle.logs[0]
    compile = next(one for one in log.compiles if one.artifacts)
    things = {
        "Bundle": bundle,
        "Log": log,
        "Compile": compile,
        "Artifact": compile.artifacts[0],
        "Event": next(log.events()),
        "BundleError": BundleError("message", code="code"),
    }
    table = "".join(line for line in API.splitlines(True) if line.startswith("| `"))
    names = [
        (owner, name)
        for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
        for owner, name in re.findall(r"`(\w+)\.(\w+)", cell)
    ]
    for owner, name in names:
        assert hasattr(things[owner], name), f"{owner}.{name}"
    for name in re.findall(r"^\| `(\w+)\(", API, re.MULTILINE):
        assert callable(getattr(tlparse_bundle, name))
    assert set(CLASSES) == {owner for owner, _ in names}


def test_the_program_of_the_document_runs(tmp_path):
    (code,) = re.findall(r"^```python\n(.*?)^```$", API, re.MULTILINE | re.DOTALL)
    code = code.replace('"/tmp/trace"', repr(str(traces.ROOT / "fixtures" / "recompiles" / "trace"))).replace(
        '"out/"', repr(str(tmp_path / "out"))
    )
    exec(compile(code, "api.md", "exec"), {})


def test_types_are_those_of_the_interface():
    folder = traces.ROOT / "preprocessor" / "tlparse_bundle"
    assert (folder / "py.typed").exists()
    declared = set(re.findall(r"import (\w+) as \1", (folder / "__init__.pyi").read_text()))
    assert declared | {"__version__"} == set(tlparse_bundle.__all__)


def test_the_version_is_in_one_place():
    cited = (traces.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", cited, re.MULTILINE)[1] == tlparse_bundle.__version__


def test_the_metadata_says_where_the_project_is_and_which_pythons_it_takes():
    project = tomllib.loads((traces.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = project["urls"]
    assert {"Homepage", "Documentation", "Source", "Changelog", "Issues"} == urls.keys()
    assert urls["Changelog"].startswith(urls["Source"]) and urls["Issues"] == urls["Source"] + "/issues"
    workflow = (traces.ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    tested = re.search(r"python: \[(.*)\]", workflow)[1].replace('"', "").split(", ")
    named = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r"Python :: 3\.", name)]
    assert named == tested and project["requires-python"] == f">={named[0]}"


def test_the_changelog_has_the_version():
    text = (traces.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[(.+?)\]", text, re.MULTILINE)[1] == tlparse_bundle.__version__


def test_the_release_works_alone(tmp_path):
    """With the current Python; scripts/release tries all that it finds."""
    if not (shutil.which("uv") or (traces.ROOT / ".venv" / "bin" / "uv").exists()):
        pytest.skip("uv is missing: scripts/test installs it")
    version = "{}.{}".format(*sys.version_info[:2])
    done = subprocess.run(
        [sys.executable, traces.ROOT / "scripts" / "release", "--python", version, "--out", tmp_path],
        capture_output=True,
        text=True,
        timeout=HANG_S * 4,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all steps work" in done.stdout


def test_the_documentation_site_is_complete_and_self_contained(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is missing")
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, traces.ROOT / "scripts" / "site", site, "--demos", "1"],
        check=True,
        capture_output=True,
        timeout=HANG_S * 2,
        env={**os.environ, "PYTHONPATH": str(traces.ROOT / "preprocessor")},
    )
    pages = [
        path
        for path in site.rglob("*.html")
        if "demo/" not in path.relative_to(site).as_posix() or path.parent.name == "demos"
    ]
    assert len(pages) > 40 and (site / "search" / "search_index.json").exists()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|img|link)[^>]*(?:src|href)=\"https?://[^>]*>", text) == [], page
        if page.name == "404.html":
            continue
        for link in re.findall(r'<a [^>]*href="([^"#][^"]*)"', text):
            parts = urlsplit(link.replace("&amp;", "&"))
            if parts.scheme or link.startswith(("//", "mailto:")):
                continue
            target = (page.parent / unquote(parts.path)).resolve()
            assert target.exists() or not target.is_relative_to(site.resolve()), (
                f"{page.relative_to(site)} leads to {link}"
            )
        for target, anchor in re.findall(r'<a [^>]*href="([^":#]*)#([^"]+)"', text):
            assert f'id="{anchor}"' in (
                (page.parent / target).read_text(encoding="utf-8") if target else text
            ), f"{page.relative_to(site)} leads to {target}#{anchor}"
        marks = r"^(?:<p>)?(?:[-*|] |\d+\. |#+ |```|&lt;!--).*"  # unprocessed Markdown
        assert re.findall(marks, re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL), re.MULTILINE) == [], (
            page
        )
