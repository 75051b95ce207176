"""Documents of the repository, for the tests of their contents."""

import os
import re
from functools import cache
from pathlib import Path

import traces

_LEFT_OUT = {"node_modules", "vendor", "dist", "golden"}


def _documents():
    for folder, folders, files in os.walk(traces.ROOT):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(".md"))


DOCUMENTS = {path.relative_to(traces.ROOT).as_posix(): path for path in _documents()}
# Documents about the current checkout, not about earlier versions.
GUIDES = [name for name in DOCUMENTS if not name.endswith("CHANGELOG.md")]


@cache
def text_of(name):
    return DOCUMENTS[name].read_text(encoding="utf-8")


def prose(text):
    """Return the text without fenced code."""
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)


def code_spans(text):
    """Return the text between backticks in a line."""
    return re.findall(r"`([^`\n]+)`", prose(text))
