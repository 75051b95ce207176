"""Each page of the documentation is reachable, and the commands of the tutorial and the guides work."""

import re
import shlex
import shutil
from urllib.parse import unquote

import pytest
import traces
from documents import DOCUMENTS, prose, text_of
from test_links import _LINK
from warm_command import run_warm

PAGES = [name for name in DOCUMENTS if name.startswith("docs/")]
TUTORIAL = "docs/tutorial/first-recompile.md"
PAIR = traces.ROOT / "fixtures" / "pairs" / "recompile_fixed"
_QUERY = re.compile(r'^tlparse-bundle (sql out/ "(?:[^"\\]|\\.)+".*)$', re.MULTILINE)
QUERIES = [
    (name, command)
    for name in PAGES
    if not name.startswith("docs/tables/")
    for command in _QUERY.findall(text_of(name))
]


def _linked(name):
    """The pages of docs/ that a page links to."""
    folder = DOCUMENTS[name].parent
    targets = (unquote(target) for target, _ in _LINK.findall(prose(text_of(name))) if target)
    paths = {(folder / target).resolve() for target in targets}
    return {page for page in DOCUMENTS if DOCUMENTS[page] in paths}


def _within(start, clicks):
    pages = {start}
    for _ in range(clicks):
        pages |= {linked for page in pages for linked in _linked(page)}
    return pages


@pytest.mark.parametrize("start", ["README.md", "docs/index.md"])
def test_each_page_is_two_clicks_away(start):
    assert set(PAGES) - _within(start, 2) == set()


def test_the_index_links_to_each_page_but_tables():
    pages = {name for name in PAGES if not name.startswith("docs/tables/")}
    assert pages - _linked("docs/index.md") == {"docs/index.md"}


def test_the_index_has_four_sections():
    titles = re.findall(r"^## (.+)$", text_of("docs/index.md"), re.MULTILINE)
    assert titles == ["Tutorial", "How-to guides", "Reference", "Explanation"]


def test_the_pictures_are_used():
    text = "".join(text_of(name) for name in DOCUMENTS)
    pictures = {path.name for path in (traces.ROOT / "docs" / "images").iterdir()}
    assert {name for name in pictures if f"images/{name})" not in text} == set()


def test_the_readme_fits_on_a_screen():
    lines = [line for line in text_of("README.md").splitlines() if not line.startswith("![")]
    assert len(lines) <= 70


def test_the_program_of_the_tutorial_is_that_of_the_fixture():
    (program,) = re.findall(r"^```python file=program.py\n(.*?)^```$", text_of(TUTORIAL), re.M | re.S)
    assert program == (PAIR / "base.py").read_text(encoding="utf-8")
    (edit,) = re.findall(r"^```diff file=program.py\n(.*?)^```$", text_of(TUTORIAL), re.M | re.S)
    old, new = (line[1:] for line in edit.splitlines())
    assert program.count(old) == 1
    body = program.replace(old, new).partition('"""\n')[2]
    assert body == (PAIR / "new.py").read_text(encoding="utf-8").partition('"""\n')[2]


def test_the_commands_of_the_tutorial_work(tmp_path):
    """All of them in order. Where the program would run, the logs of the fixture take their place."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text_of(TUTORIAL), re.MULTILINE | re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    sides = {"trace-before": "base", "trace-after": "new"}
    used = []
    for command in commands:
        words = shlex.split(command)
        if words[0].startswith("TORCH_TRACE="):
            folder = words[0].partition("=")[2]
            assert words[1:] == ["python", "program.py"]
            shutil.copytree(PAIR / sides[folder], tmp_path / folder)
        elif words[0] == "tlparse-bundle" and words[1] != "serve":  # a server does not end
            done = run_warm(words[1:], tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr
            used.append(words[1])
        else:
            assert words[:3] in (["pip", "install", "tlparse-bundle"], ["tlparse-bundle", "serve", "before/"])
    assert used == ["trace-before", "report", "trace-after", "compare", "check"]


@pytest.mark.parametrize(("name", "command"), QUERIES)
def test_the_queries_of_the_guides_work(name, command, built, tmp_path):
    pytest.importorskip("duckdb", reason="DuckDB is missing")
    (tmp_path / "out").symlink_to(built(traces.ROOT / "fixtures" / "recompiles" / "trace").location)
    done = run_warm(shlex.split(command, comments=True), tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_program_of_the_guide_to_comparisons_runs(built, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, side in (("last_week", "base"), ("today", "new")):
        (tmp_path / name).symlink_to(built(PAIR / side).location)
    (program,) = re.findall(r"^```python\n(.*?)^```$", text_of("docs/how-to/compare.md"), re.M | re.S)
    exec(compile(program, "compare.md", "exec"), {})
    assert capsys.readouterr().out.startswith("less -")
