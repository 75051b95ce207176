"""The format document tells the truth: generated parts are current, examples validate, names are those of the schemas."""

import json
import re
import sys

import pytest
import traces
from format_document import BLOCKS, SCHEMAS, TEXT, script
from jsonschema import Draft202012Validator
from tlparse_bundle.format import layout
from tlparse_bundle.read.checks import COLUMNS

MAX_BYTES = 95_000  # 25,000 tokens of o200k_base, in which one has 3.83 bytes of this page


def test_generated_regions_are_current():
    assert script.regenerate(TEXT) == TEXT, "stale: run scripts/docs"


def test_other_files_are_current():
    """Declarations for TypeScript, and the shapes that pages check."""
    generated = script.generated()
    assert {script.DECLARATIONS, script.SHAPES, script.COMPARISON_SHAPE} < generated.keys()
    assert [path.name for path, text in generated.items() if path.read_text(encoding="utf-8") != text] == [], "stale: run scripts/docs"


@pytest.mark.parametrize("name", SCHEMAS)
def test_both_readers_know_the_same_columns(name):
    """Those of one length, which a schema cannot say: the viewers have them from scripts/shapes.py."""
    shape = sys.modules["shapes"].shape_of(SCHEMAS[name], SCHEMAS[name], name)
    parts = {"": shape, **shape} if isinstance(shape, dict) else {}
    assert {part for part, inner in parts.items() if isinstance(inner, dict) and "|" in inner} == set(COLUMNS.get(name, ()))


def test_fits_into_one_context():
    assert len(TEXT.encode()) <= MAX_BYTES, "shorten; for a table that few viewers need take the region 'names' instead of 'fields'"


def test_versions_agree():
    version = f"{layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}"
    changelog = (traces.ROOT / "schema" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == version
    assert f"# The bundle format, version {version}\n" in TEXT
    assert re.search(r"^- (\d+\.\d+):", TEXT.split("## Revisions")[1], re.MULTILINE)[1] == version
    assert {schema["$id"].split(":")[2] for schema in SCHEMAS.values()} == {version}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_in_the_section_of_its_table(name):
    if "x-table" in SCHEMAS[name]:  # its page is made of the schema
        page = (traces.ROOT / "docs" / "tables" / f"{name}.md").read_text(encoding="utf-8")
        assert all(f"| `{script.shown(SCHEMAS[name], path)}` |" in page for path, _, _ in script.explained(SCHEMAS[name]))
        return
    assert f"\n### {name}\n" in TEXT, (
        f"write a section '### {name}' with the region 'fields {name}', or 'names {name}' for a table that few need"
    )
    section = TEXT.split(f"\n### {name}\n")[1].split("\n### ")[0]
    for path, _, _ in script.explained(SCHEMAS[name]):
        in_field_table = f"| `{script.shown(SCHEMAS[name], path)}` |" in section
        in_shape = f"generated: names {name}" in section and re.search(rf"[{{ ]{re.escape(path.split('.')[-1])}[,:}}]", section)
        assert in_field_table or in_shape, path


# Names in the prose that look like fields and are none: torch's own key, our package, the log of the example.
NO_FIELDS = {"has_payload", "tlparse_bundle", "dedicated_log_torch_trace_rank_0_tiny"}


def test_every_field_of_the_prose_is_in_a_schema():
    """Every name with an underscore in code of the prose: a field, a table, a kind of event, or a value of an enum."""
    known = set(SCHEMAS) | {kind.key.removeprefix("artifact:") for family in script.FAMILIES for kind in family.KINDS} | NO_FIELDS

    def collect(node):
        if isinstance(node, dict):
            known.update(node.get("properties", ()), (value for value in node.get("enum", ()) if isinstance(value, str)))
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            collect(child)

    collect(list(SCHEMAS.values()))
    prose = re.sub(r"```.*?```|<!-- generated: (?:vocabulary|diagnostics).*?<!-- end -->", "", TEXT, flags=re.DOTALL)
    words = [word for code in re.findall(r"`([^`\n]+)`", prose) for word in re.findall(r"(?<![\w/.-])[a-z]+(?:_[a-z0-9]+)+(?![\w/(-])", code)]
    assert len(words) > 500
    assert set(words) - known == set()


def test_every_relation_begins_at_a_field():
    block = re.search(r"## Relations\n\n```text\n(.*?)```", TEXT, re.DOTALL)[1]
    paths = {name: {path.replace("[]", "") for path, _, _ in script.fields(document)} for name, document in SCHEMAS.items()}
    checked = 0
    for line in filter(None, block.splitlines()):
        table = prefix = ""
        for item in line.split("→")[0].strip().split(", "):
            if "(metadata)" in line or "else" in item:
                continue
            if item.startswith("."):
                item = f"{prefix}{item}"
            table, _, path = item.replace("[]", "").removesuffix(".*").partition(".")
            prefix = item.rpartition(".")[0]
            pattern = re.escape(path).replace(r"\*", "[^.]+")
            assert any(re.fullmatch(pattern, known) for known in paths[table]), item
            checked += 1
    assert checked > 40


def test_the_tables_that_every_viewer_needs_have_an_example():
    marked = {re.split("[#/]", mark.split("=")[1])[0] for _, mark, _ in BLOCKS if mark.startswith(("schema=", "columns="))}
    assert marked >= set(script.CORE)


@pytest.mark.parametrize(
    "mark, code", [pytest.param(mark, code, id=mark or "plain") for language, mark, code in BLOCKS if language == "json"]
)
def test_json_blocks(mark, code):
    value = json.loads(code)
    kind, _, where = mark.partition("=")
    name, _, pointer = where.partition("#")
    schema = SCHEMAS[name]
    for part in filter(None, pointer.split("/")):
        schema = schema[part]
    if kind == "columns":
        columns = {key: node["items"] for key, node in schema["properties"].items() if node.get("type") == "array"}
        schema = {"type": "object", "additionalProperties": False, "required": list(columns), "properties": columns}
    errors = Draft202012Validator({**schema, "$defs": SCHEMAS[name].get("$defs", {})}).iter_errors(value)
    assert [error.message for error in errors] == []


def test_links_inside_lead_somewhere():
    anchors = {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_words_that_say_nothing():
    prose = re.sub(r"<!-- generated.*?<!-- end -->|```.*?```", "", TEXT, flags=re.DOTALL)
    assert re.findall(r"\betc\b|\busually\b|\bsimply\b|\bshould be able\b", prose) == []


@pytest.mark.parametrize("fixture", ["graph_breaks", "dynamo_reset", "compiled_autograd", "train_step", "failures"])
def test_statements_about_compiles(built, fixture):
    own = {"key", "id", "attempt", "graph_break_count", "event_count", "first_event_index", "size_bytes", "artifact_count"}
    sentence = re.search(r"^- These fields belong to the row: (.+?)\.", TEXT, re.MULTILINE)[1]
    assert set(re.findall(r"`(\w+)`", sentence)) == own
    for log in built(traces.ROOT / "fixtures" / fixture / "trace").logs:
        frame_compiles = {}
        for compile in log.compiles:
            parts = ("compiled_autograd_id", "frame_id", "frame_compile_id", "occurrence")
            frame_compiles.setdefault(tuple(compile.row[part] for part in parts), []).append(compile)
        for attempts in frame_compiles.values():
            assert all({**attempt.row, **{key: attempts[0].row[key] for key in own}} == attempts[0].row for attempt in attempts)
            metrics = attempts[0].row["metrics_event_index"]
            if metrics is not None:
                (event,) = (event for event in log.events() if event.index == metrics)
                assert event.compile.row["attempt"] == max(attempt.row["attempt"] for attempt in attempts)
                assert "compilation_metrics" in event.metadata
        for event in log.events(type="dynamo_start"):
            assert log.stack(event.metadata["dynamo_start"]["stack_index"])[-1]["code"] is None
        table = log.table("artifacts")
        assert [row["sha256"] is None for row in table] == [row["blob"] is None for row in table]
