"""The worked examples of a guide: sections, the files that each changes, and the edits in its code blocks.

A block follows a line ``New file `path`:`` or ``In `path`:``. The first is a whole file; the second a diff
with the lines around a place, of which those with '+' are new. A second block after one such line edits the
same file.
"""

import os
import re
import shutil
import subprocess
import sys

import traces
from waiting import HANG_S

_COPIED = ("preprocessor", "schema", "scripts", "docs", "tests", "viewers", "pyproject.toml")
_LEFT_OUT = shutil.ignore_patterns("node_modules", "dist", "__pycache__", "pictures")
_HEADING = re.compile(r"^(##|###) (.+)$", re.MULTILINE)
_PIECE = re.compile(r"^(New file|In) `([^`]+)`[^\n]*:$|^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections(text):
    """Return {title of a section: its text} of the third-level headings."""
    parts = _HEADING.split(text)
    titled = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return {title: section for level, title, section in titled if level == "###"}


def edits(section):
    """Return [(path, is new, code)] of a section, in order."""
    found, current = [], None
    for way, path, _, code in _PIECE.findall(section):
        if way:
            current = (path, way == "New file")
        elif current:
            found.append((*current, code))
    return found


def apply(root, section):
    """Make the edits of a section below a folder; return the changed paths."""
    touched = set()
    for path, is_new, code in edits(section):
        target = root / path
        if is_new:
            assert not target.exists(), f"{path} is there already"
            target.write_text(code, encoding="utf-8")
        else:
            target.write_text(patched(target.read_text(encoding="utf-8"), code, path), encoding="utf-8")
        touched.add(path)
    return touched


def patched(text, diff, path):
    """Add the lines of a diff to a text.

    Raises AssertionError unless the lines around them occur exactly once.
    """
    lines = diff.splitlines()
    assert all(line[:1] in "+ " for line in lines), f"{path}: a diff line begins with neither '+' nor ' '"
    old = [line[1:] for line in lines if line[:1] != "+"]
    whole = text.splitlines()
    places = [at for at in range(len(whole)) if whole[at : at + len(old)] == old]
    assert len(places) == 1, f"{path}: {len(places)} places, not one, with\n" + "\n".join(old)
    whole[places[0] : places[0] + len(old)] = [line[1:] for line in lines]
    return "\n".join(whole) + "\n"


def contributing():
    """Return the text of CONTRIBUTING.md."""
    return (traces.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def environment(copy):
    """Return the environment in which programs use the package of a copy of the repository."""
    return {**os.environ, "PYTHONPATH": str(copy / "preprocessor"), "PYTHONDONTWRITEBYTECODE": "1"}


def run(copy, *command, **more):
    """Run a program in a copy of the repository. Raises AssertionError when it fails."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=copy,
        env=environment(copy) | more,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def worked_copy(once):
    """Return a copy of the repository with all examples of CONTRIBUTING.md and the output of scripts/docs.

    Built once per session, for tests to read.
    """

    def make(copy):
        for name in _COPIED:
            source = traces.ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=_LEFT_OUT)
            else:
                shutil.copyfile(source, copy / name)
        (copy / "fixtures").symlink_to(traces.ROOT / "fixtures")
        for section in sections(contributing()).values():
            apply(copy, section)
        run(copy, sys.executable, "scripts/docs")

    return once("worked examples", make)
