"""Files stay small enough to read, and viewers cannot run text of a trace."""

import re

import traces

ROOT = traces.ROOT
SKIPPED = {"vendor", "node_modules", ".venv", "dist", "golden", "__pycache__", "bundles"}
SOURCES = [
    path
    for folder in ("preprocessor", "viewers", "tests", "scripts", "benchmarks", "schema")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".js", ".html") and not SKIPPED & set(path.relative_to(ROOT).parts)
]
SCRIPTS = [path for path in SOURCES if path.suffix in (".js", ".html") and "viewers" in path.parts]
MAX_LINES = {"preprocessor": 400, "viewers": 400}  # and MAX_OTHER_LINES for tests, scripts and benchmarks
MAX_OTHER_LINES = 650
GENERATED = ("row_types.py", "shapes.js")
UNSAFE = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write(ln)?|createContextualFragment|srcdoc)\b|\beval\(|new"
    r" Function\("
)


def faulty(paths, faults):
    """Return {path: faults(text)} for all paths with faults."""
    return {str(path.relative_to(ROOT)): found for path in paths if (found := faults(path.read_text()))}


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 60 and len(SCRIPTS) > 20


def test_no_source_file_is_long():
    long = {}
    for path in SOURCES:
        name = path.relative_to(ROOT)
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES.get(name.parts[0], MAX_OTHER_LINES) and name.name not in GENERATED:
            long[str(name)] = lines
    assert long == {}


def test_viewers_never_make_text_into_markup():
    assert (
        faulty(
            SCRIPTS,
            lambda text: [
                f"{number}: {line.strip()}"
                for number, line in enumerate(text.splitlines(), 1)
                if UNSAFE.search(line)
            ],
        )
        == {}
    )


def test_viewers_fetch_from_nowhere_else():
    def foreign(text):
        text = re.sub(r"^\s*(//|/?\*).*$", "", text, flags=re.MULTILINE)
        return re.findall(
            r"""(?:fetch|import|importScripts|src=|href=|url)\s*\(?\s*["'`]https?://[^"'`]*""", text
        )

    assert faulty(SCRIPTS, foreign) == {}
