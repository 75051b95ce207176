"""The format documents are current, short and complete."""

import re
import sys

import click
import pytest
import traces
from format_document import SCHEMAS, TEXT, script
from tlparse_bundle.bundle import layout
from tlparse_bundle.cli.main import cli
from tlparse_bundle.statements import registry as findings_registry
from tlparse_bundle.statements.ranks.rank_finding import KINDS as RANK_KINDS

CORE = (traces.ROOT / "docs" / "format-core.md").read_text(encoding="utf-8")
MOST_CORE_TOKENS, CHARACTERS_PER_TOKEN = 3000, 4
MAX_BYTES = 30_000


def test_generated_regions_are_current():
    assert script.regenerate(TEXT) == TEXT, "stale: run scripts/docs"


def test_other_files_are_current(built):
    """Types for Python and TypeScript, the shapes that pages check, and a page for each table."""
    generated = script.generated(built)
    assert {script.DECLARATIONS, script.SHAPES, script.ROW_TYPES, script.COMPARISON_SHAPE} < generated.keys()
    assert {
        script.CLI_PAGE,
        script.FINDINGS_PAGE,
        script.KIND_TITLES,
        *script.PAGES_WITH_OUTPUT,
    } < generated.keys()
    assert [
        path.name
        for path, text in generated.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ] == [], "stale: run scripts/docs"
    assert {path.stem for path in (traces.ROOT / "docs" / "tables").glob("*.md")} == set(SCHEMAS)


def test_every_kind_of_finding_has_an_entry():
    assert sys.modules["findings_page"].missing() == []
    text = script.FINDINGS_PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"^Kind: `([\w-]+)`$", text, re.MULTILINE))
    assert named == {*findings_registry.kinds(), *RANK_KINDS}


def test_every_command_is_on_its_page():
    text = script.CLI_PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^## ([a-z-]+)$", text, re.MULTILINE)) == set(
        cli.list_commands(click.Context(cli))
    )


def test_a_table_without_a_description_is_named():
    broken = {
        **SCHEMAS["caches"],
        "properties": {**SCHEMAS["caches"]["properties"], "color": {"type": "string"}},
    }
    with pytest.raises(SystemExit, match=r"schema/caches.schema.json: 'color' has no description"):
        script.check_described({"caches": broken})


def test_they_are_short():
    assert len(CORE) / CHARACTERS_PER_TOKEN <= MOST_CORE_TOKENS
    assert len(TEXT.encode()) <= MAX_BYTES


def test_versions_agree():
    version = f"{layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}"
    changelog = (traces.ROOT / "schema" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == version
    assert f"# The bundle format, version {version}\n" in TEXT
    assert {schema["$id"].split(":")[2] for schema in SCHEMAS.values()} == {version}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_on_the_page_of_its_table(name):
    page = (traces.ROOT / "docs" / "tables" / f"{name}.md").read_text(encoding="utf-8")
    for path, _, _ in script.explained(SCHEMAS[name]):
        assert f"| `{path}` |" in page, path


def test_every_table_is_listed():
    listed = (traces.ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(tables/(\w+)\.md\)", listed)) == set(SCHEMAS) and "](tables.md)" in TEXT


@pytest.mark.parametrize(
    ("page", "words"), [("kinds", "`artifact:recompile_reasons`"), ("diagnostics", "record-cut")]
)
def test_all_registered_names_are_listed(page, words):
    assert words in (traces.ROOT / "docs" / "tables" / f"{page}.md").read_text(encoding="utf-8")


def test_links_inside_lead_somewhere():
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_empty_words_are_absent():
    prose = re.sub(r"<!-- generated.*?<!-- end -->|```.*?```", "", TEXT + CORE, flags=re.DOTALL)
    assert re.findall(r"\betc\b|\busually\b|\bsimply\b|\bshould be able\b", prose) == []


def test_row_types_are_those_of_the_schemas():
    from tlparse_bundle.bundle import row_types

    for name, schema in SCHEMAS.items():
        if "x-table" in schema:
            assert list(
                getattr(row_types, sys.modules["row_types"].class_name(name)).__annotations__
            ) == list(schema["properties"])
