"""The schemas: valid, explained, strict, equal to the registries in the code, and valid for real bundles."""

import copy
import json
import re
from collections import Counter

import pytest
import traces
from jsonschema import Draft202012Validator
from log_builder import RARE as RARE_LOG
from rows_of_tables import JOBS, RARE, folder_of, rows_of
from tlparse_bundle.base.diagnostics import CODES
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.log import discover
from tlparse_bundle.log.events.registry import FAMILIES

SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_bytes())
    for path in sorted((traces.ROOT / "schema").glob("*.schema.json"))
}
BUNDLES = (
    "graph_breaks",
    "failures",
    "killed",
    "recompiles",
    "fork_children",
    "aoti",
    "nonascii",
    "ranks4",
    "export_dtrace",
    "dynamic_shapes",
    "provenance_graphs",
    "ddp_split",
    "compiled_autograd",
    "wrappers",
    "regions",
    "caches",
    "vllm/passes-cold",
    "vllm/llama-cold",
    "overlap_scheduling",
    "memory_budget",
    "versions/2.13.0/breaks.log.zst",
    "versions/2.13.0/autotune_gemms.log.zst",
    "cuda/cuda_graphs.log.zst",
    "versions/2.15.0/slow_worker.log.zst",
    "versions/2.15.0/native_ops.log.zst",
    *JOBS,
)

with_schemas = pytest.mark.parametrize("name", SCHEMAS)


def nodes(node, path=""):
    """Yield (path, schema) of a schema and all schemas in it."""
    if isinstance(node, dict):
        yield path, node
        for key, child in node.items():
            if key in ("properties", "$defs"):
                for name, below in child.items():
                    yield from nodes(below, f"{path}/{key}/{name}")
            elif key in ("items", "additionalProperties", "propertyNames") and isinstance(child, dict):
                yield from nodes(child, f"{path}/{key}")


def enums(name, field):
    """Return the values of every enum at a path that ends in ``field``."""
    return [node["enum"] for path, node in nodes(SCHEMAS[name]) if path.endswith(field) and "enum" in node]


MOST_ROWS = 200  # of a table in a bundle: jsonschema is slow; test_shape.py holds it against ``validate``


def tables_of(bundle):
    """Yield (schema name, value) of every JSON file of a bundle, and of the first rows of each table."""
    yield "manifest", bundle.manifest
    seen = Counter()
    for name, row in rows_of(bundle):
        seen[name] += 1
        if seen[name] <= MOST_ROWS:
            yield name, row
    for log in bundle.logs:
        yield "log", log.directory


@pytest.fixture(scope="session")
def tables(built, tmp_path_factory):
    """{schema name: values} of several fixtures, and of records that no fixture has."""
    found = {name: [row] for name, row in RARE.items()}
    rare = tmp_path_factory.mktemp("rare") / "dedicated_log_torch_trace_x.log"
    rare.write_bytes(RARE_LOG)
    for place in (*map(folder_of, BUNDLES), rare):
        for name, value in tables_of(built(place)):
            found.setdefault(name, []).append(value)
    return found


def test_is_a_valid_schema():
    for name in SCHEMAS:
        Draft202012Validator.check_schema(SCHEMAS[name])
        assert SCHEMAS[name]["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
        assert (
            SCHEMAS[name]["$id"] == f"urn:tlparse-bundle:{layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}:{name}"
        )
        assert SCHEMAS[name]["title"] == name


def test_every_property_is_described():
    for name in SCHEMAS:
        assert SCHEMAS[name]["description"], name
        for path, node in nodes(SCHEMAS[name]):
            if re.search(r"/properties/[^/]+$", path):
                definition = SCHEMAS[name]["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
                assert (node.get("description") or definition.get("description", "")).endswith("."), (
                    name,
                    path,
                )


def test_objects_state_whether_other_fields_are_allowed():
    for name in SCHEMAS:
        for path, node in nodes(SCHEMAS[name]):
            kinds = node.get("type", ())
            if "properties" in node:
                assert "additionalProperties" in node and "required" in node, (name, path)
                assert set(node["required"]) <= set(node["properties"]), (name, path)
            elif "object" in kinds and path != "/properties/metadata":  # metadata is torch's own
                assert "additionalProperties" in node, (name, path)


def test_examples_validate():
    for name in SCHEMAS:
        for path, node in nodes(SCHEMAS[name]):
            validator = Draft202012Validator({**node, "$defs": SCHEMAS[name].get("$defs", {})})
            for example in node.get("examples", ()):
                assert not list(validator.iter_errors(example)), (name, path, example)


def test_every_schema_is_used(tables):
    assert set(tables) == set(SCHEMAS)


@with_schemas
def test_real_tables_validate(tables, name):
    validator = Draft202012Validator(SCHEMAS[name])
    for value in tables[name]:
        errors = [f"{error.json_path}: {error.message:.200}" for error in validator.iter_errors(value)]
        assert not errors


def _objects(schema, value, document):
    """Yield (schema, object) for every object in a value whose schema names its fields."""
    while "$ref" in schema:
        schema = document["$defs"][schema["$ref"].split("/")[-1]]
    if isinstance(value, dict):
        if "properties" in schema:
            yield schema, value
        for key, child in value.items():
            below = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
            if isinstance(below, dict):
                yield from _objects(below, child, document)
    elif isinstance(value, list) and "items" in schema:
        for child in value[:20]:
            yield from _objects(schema["items"], child, document)


@with_schemas
def test_an_additional_or_missing_field_is_rejected(tables, name):
    document = SCHEMAS[name]
    seen = 0
    for original in tables[name][:3]:
        value = copy.deepcopy(original)
        validator = Draft202012Validator(document)
        assert validator.is_valid(value)
        for schema, instance in _objects(document, value, document):
            if schema["additionalProperties"] is False:
                instance["not-a-field"] = 1
                assert not Draft202012Validator({**schema, "$defs": document.get("$defs", {})}).is_valid(
                    instance
                )
                del instance["not-a-field"]
            for key in schema["required"]:
                kept = instance.pop(key)
                assert not Draft202012Validator({**schema, "$defs": document.get("$defs", {})}).is_valid(
                    instance
                ), key
                instance[key] = kept
                seen += 1
    assert seen


def test_statuses_match_the_code(tables):
    (allowed,) = enums("compiles", "/status")
    (counted,) = enums("manifest", "/statuses/propertyNames")
    assert allowed == counted
    given = {row["status"] for row in tables["compiles"]}
    assert given == set(allowed)


def test_no_field_is_hidden_by_what_readers_put_in_front():
    """``Bundle.rows``, ``Bundle.frame`` and the SQL views prefix each row with its bundle, log and rank."""
    assert [
        name
        for name, document in SCHEMAS.items()
        if document.get("x-table") == "log" and {"bundle", "log", "rank"} & set(document["properties"])
    ] == []


def test_enums_are_the_registries():
    languages = {kind.language for family in FAMILIES for kind in family.KINDS}
    for values in (*enums("manifest", "/$defs/language"), *enums("log", "/language")):
        assert set(values) >= languages | {"text", "json"}
        assert set(values) - languages <= {"text", "json", "none"}, "a language that no kind has"
    (codecs,) = enums("manifest", "/codec")
    assert codecs == list(CODECS)
    severities = {code.severity for code in CODES.values()}
    for values in (*enums("manifest", "/$defs/severity"), *enums("diagnostics", "/severity")):
        assert set(values) == severities
    for values in (*enums("manifest", "/compression"), *enums("log", "/compression")):
        assert set(values) == {*discover._MAGIC, None}


def test_diagnostic_codes_fit_their_pattern():
    pattern = next(node["pattern"] for path, node in nodes(SCHEMAS["diagnostics"]) if path.endswith("/code"))
    assert [code for code in CODES if not re.search(pattern, code)] == []


def test_definitions_that_two_schemas_share_are_equal():
    manifest, log = SCHEMAS["manifest"], SCHEMAS["log"]
    assert log["properties"]["source"]["properties"] == manifest["$defs"]["source"]["properties"]
    kinds = log["properties"]["kinds"]["items"]["properties"]
    assert kinds["language"]["enum"] == manifest["$defs"]["language"]["enum"]
