"""Files stay small enough to read, and viewers cannot run what a trace holds."""

import re

import pytest
import traces

ROOT = traces.ROOT
SKIPPED = {"vendor", "node_modules", ".venv", "dist", "golden", "__pycache__", "bundles"}
SOURCES = [
    path
    for folder in ("preprocessor", "viewers", "tests", "scripts", "benchmarks", "schema")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".css", ".html") and not SKIPPED & set(path.relative_to(ROOT).parts)
]
SCRIPTS = [path for path in SOURCES if path.suffix in (".js", ".html") and "viewers" in path.parts]
MAX_LINES = 400
UNSAFE = re.compile(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write(ln)?|createContextualFragment|srcdoc)\b|\beval\(|new Function\(")


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 60 and len(SCRIPTS) > 20


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_file_is_long(path):
    assert len(path.read_text().splitlines()) <= MAX_LINES


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_viewers_never_make_text_into_markup(path):
    found = [f"{number}: {line.strip()}" for number, line in enumerate(path.read_text().splitlines(), 1) if UNSAFE.search(line)]
    assert found == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_viewers_fetch_from_nowhere_else(path):
    text = re.sub(r"^\s*(//|/?\*).*$", "", path.read_text(), flags=re.MULTILINE)
    assert re.findall(r"""(?:fetch|import|importScripts|src=|href=|url)\s*\(?\s*["'`]https?://[^"'`]*""", text) == []
