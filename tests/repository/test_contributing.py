"""CONTRIBUTING.md: its examples work unchanged in a copy of the repository, and its paths exist."""

import json
import re
import shutil
import sys
from importlib.metadata import requires

import pytest
import traces
from tlparse_bundle import Bundle
from worked_examples import contributing, edits, patched, run, sections, worked_copy

EXAMPLES = {title: section for title, section in sections(contributing()).items() if edits(section)}
MOST_LINES = 210  # without the examples


@pytest.fixture(scope="module")
def copy(once):
    return worked_copy(once)


@pytest.fixture(scope="module")
def built_there(copy, tmp_path_factory):
    """Return built_there(fixture): the bundle that the copy builds of a fixture, read with its schemas."""
    bundles = {}

    def build(fixture):
        if fixture not in bundles:
            out = tmp_path_factory.mktemp("bundles") / fixture
            trace = traces.ROOT / "fixtures" / fixture / "trace"
            run(copy, sys.executable, "-m", "tlparse_bundle", trace, out, "-q", "--no-open")
            run(copy, sys.executable, "-m", "tlparse_bundle", "validate", out)
            bundles[fixture] = Bundle.open(out)
        return bundles[fixture]

    return build


def test_the_extension_points_have_an_example_each():
    assert list(EXAMPLES) == ["An event kind", "A table", "A finding", "A rank analysis", "A view"]


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_touches_as_many_files_as_it_says(title):
    (said,) = re.findall(r"^Touches (\d+) files?\.", EXAMPLES[title], re.MULTILINE)
    assert len({path for path, _, _ in edits(EXAMPLES[title])}) == int(said)


def test_a_diff_that_does_not_fit_is_refused():
    assert patched("a\nb\n", " a\n+c\n b\n", "x") == "a\nc\nb\n"
    for text, diff in (("b\n", " a\n+c\n"), ("a\na\n", " a\n+c\n"), ("a\n", "-a\n+c\n")):
        with pytest.raises(AssertionError):
            patched(text, diff, "x")


def test_the_page_is_short():
    text = re.sub(r"^## Add something\n.*?^## Rules$", "", contributing(), flags=re.MULTILINE | re.DOTALL)
    assert len(text.splitlines()) <= MOST_LINES


def test_the_examples_pass_the_checks_of_the_code(copy, tmp_path):
    """Run the checks that scripts/test runs before the tests. mypy starts from its cache of the code without
    examples.
    """
    cache = tmp_path / "mypy"
    if (traces.ROOT / ".mypy_cache").is_dir():
        shutil.copytree(traces.ROOT / ".mypy_cache", cache)
    run(copy, sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", cache)
    new = [path for section in EXAMPLES.values() for path, _, _ in edits(section) if path.endswith(".py")]
    run(copy, sys.executable, "-m", "ruff", "check", "--no-cache", *new)
    run(copy, sys.executable, "-m", "ruff", "format", "--check", "--no-cache", *new)


def test_the_event_kind_shows_its_title(built_there):
    bundle = built_there("nonascii")
    (row,) = (row for row in bundle.logs[0].directory["kinds"] if row["name"] == "list_payload")
    about = bundle.manifest["descriptors"][row["descriptor"]]
    assert (about["title"], about["phase"]) == ("list", "runtime")


def test_the_table_has_rows(built_there):
    (log,) = built_there("transformer").logs
    codes = [artifact for artifact in log.artifacts if artifact.type == "inductor_output_code"]
    assert [(row["event"], row["buffer_count"]) for row in log.table("buffers")] == [
        (code.event, code.text().count(" = empty_strided")) for code in codes
    ]
    assert len(codes) == 2


def test_the_finding_appears_where_it_is_true_and_nowhere_else(built_there):
    (where,) = re.findall(r'"many-buffers": \("(\w+)", "(\w+)"\)', EXAMPLES["A finding"])
    found, missing = (
        [row for log in built_there(fixture).logs for row in log.findings() if row["kind"] == "many-buffers"]
        for fixture in where
    )
    assert missing == [] and len(found) == 1
    assert f"allocates {found[0]['details']['buffer_count']} buffers" in found[0]["title"]


def test_the_rank_analysis_has_its_table(built_there):
    bundle = built_there("ranks4")
    rows = bundle.rank_table("rank_buffers")
    counts = [sum(row["buffer_count"] for row in log.table("buffers")) for log in bundle.logs]
    ranks = [[rank for first, last in row["ranks"] for rank in range(first, last + 1)] for row in rows]
    assert len(counts) == 4 and min(counts) > 0
    for rank, count in enumerate(counts):
        assert (
            sum(row["buffer_count"] for row, those in zip(rows, ranks, strict=True) if rank in those) == count
        )


def test_the_golden_bundle_takes_the_new_schemas(copy, tmp_path):
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--basetemp",
        tmp_path / "base",
    )
    run(copy, *command, "tests/bundle/test_golden.py", TLPARSE_BUNDLE_UPDATE_GOLDEN="1")
    schemas = json.loads((copy / "tests" / "golden" / "killed" / "schemas.json").read_text(encoding="utf-8"))
    assert {"buffers", "rank_buffers"} <= schemas.keys()


def test_the_code_is_as_ruff_wants_it(copy):
    files = sorted(
        {path for section in EXAMPLES.values() for path, _, _ in edits(section) if path.endswith(".py")}
    )
    run(copy, sys.executable, "-m", "ruff", "check", *files)
    run(copy, sys.executable, "-m", "ruff", "format", "--check", *files)
    assert any(name.startswith("ruff") for name in requires("tlparse-bundle"))


def test_each_path_exists():
    """From the root, from the package, or from the folder that a table's row is about."""
    package = traces.ROOT / "preprocessor" / "tlparse_bundle"
    text = re.sub(r"^```.*?^```$|^New file `.*$", "", contributing(), flags=re.MULTILINE | re.DOTALL)
    missing, found = [], 0
    for line in text.splitlines():
        paths = [
            span for span in re.findall(r"`([^`\s]+)`", line) if re.fullmatch(r"[\w.-]+(/[\w.-]+)*/?", span)
        ]
        paths = [path for path in paths if "/" in path]
        of_row = paths[0] if line.startswith("| ") and paths else ""
        places = [base / folder for base in (traces.ROOT, package) for folder in ("", of_row)]
        missing += [path for path in paths if not any((place / path).exists() for place in places)]
        found += len(paths)
    assert missing == [] and found > 50


def test_all_rooms_of_the_table_exist():
    package = traces.ROOT / "preprocessor" / "tlparse_bundle"
    table, _, rest = contributing().partition("| place | content |")
    rows = re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE)
    assert rows == [name for name in rows if (package / name / "__init__.py").is_file()]
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    assert set(rows) == rooms
    viewers = {path.parent.name for path in traces.ROOT.glob("viewers/*/index.html")} - {"open"}
    assert viewers <= set(re.findall(r"`viewers/([\w-]+)/`", rest))
