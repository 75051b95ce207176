"""Pages preload the modules of their first screen, so a browser does not find them one after another."""

import os
import re
import subprocess
import sys

import pytest
from traces import ROOT

VIEWERS = ROOT / "viewers"
PAGES = [
    ROOT / "viewers" / name / "index.html"
    for name in ("default", "multirank", "provenance", "compare", "vllm")
]


def test_they_are_fresh():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "preloads", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_each_module_that_main_imports_is_named_once(page):
    named = re.findall(r'rel="modulepreload" href="([^"]+)"', page.read_text())
    assert len(named) == len(set(named))
    for line in (page.parent / "main.js").read_text().splitlines():
        if found := re.match(r'import .*"(\.[^"]+)";', line):
            assert os.path.normpath(found[1]) in map(os.path.normpath, named)
    assert all((page.parent / path).is_file() for path in named)


def test_the_comparison_loads_no_more_than_the_default_viewer():
    """Modules and styles of the first screen, in bytes."""

    def size(name):
        page = VIEWERS / name / "index.html"
        return sum(
            (page.parent / path).stat().st_size
            for path in re.findall(r'(?:modulepreload|stylesheet)" href="([^"]+)"', page.read_text())
        )

    assert 0 < size("compare") <= size("default")
