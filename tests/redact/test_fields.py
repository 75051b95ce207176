"""Redaction by field: each text field of the schemas says what it has, and a secret in any field is removed."""

import json

import pytest
from tlparse_bundle.base.diagnostics import CODES
from tlparse_bundle.bundle.schemas import row_tables, schema, schema_names
from tlparse_bundle.redact.fields import CONTENTS, REDACTED, Fields
from tlparse_bundle.redact.fixed_lists import LISTS
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.policy import keepable
from tlparse_bundle.redact.pseudonyms import Pseudonyms

CANARIES = [
    "acme-hunter2",
    "密码acme",
    "acme\u200bfused",
    "/home/acme/torch/acme.py",
    "torch.ops.acme.acme.default",
]


def types_of(part):
    types = part.get("type", [])
    return [types] if isinstance(types, str) else types


def parts(part, path):
    """Yield (path, part) of a schema and all below it."""
    yield path, part
    for key, child in part.get("properties", {}).items():
        yield from parts(child, f"{path}.{key}")
    for key in ("items", "additionalProperties", "propertyNames"):
        if isinstance(part.get(key), dict):
            yield from parts(part[key], f"{path}[{key}]")
    for key, child in part.get("$defs", {}).items():
        yield from parts(child, f"{path}#{key}")


EVERY_PART = [found for name in schema_names() for found in parts(schema(name), name)]


def test_every_text_field_says_what_it_has():
    silent = [
        path
        for path, part in EVERY_PART
        if "x-content" not in part
        and "enum" not in part
        and "const" not in part
        and ("string" in types_of(part) or part.get("additionalProperties") is True)
        and path != "findings#details"  # holds the schemas of the details, itself not a field
    ]
    assert silent == []


def test_keys_of_free_form_objects_say_what_they_are():
    silent = [
        path
        for path, part in EVERY_PART
        if isinstance(part.get("additionalProperties"), dict)
        and "properties" not in part
        and "x-content" not in part.get("propertyNames", {})
        and "enum" not in part.get("propertyNames", {})
    ]
    assert silent == []


def test_the_words_about_content_are_known():
    used = {part["x-content"] for _, part in EVERY_PART if "x-content" in part}
    assert used == CONTENTS
    assert {part["x-list"] for _, part in EVERY_PART if "x-list" in part} == set(LISTS)
    assert all("x-list" in part for _, part in EVERY_PART if part.get("x-content") == "structure")


def filled(part, document, text, number):
    """Return a value of a schema with ``text`` in all its texts, also where only a newer version has some."""
    if "$ref" in part:
        return filled(document["$defs"][part["$ref"].removeprefix("#/$defs/")], document, text, number)
    types = types_of(part)
    if "properties" in part:
        fields = {key: filled(child, document, text, number) for key, child in part["properties"].items()}
        return {**fields, f"new_{text}": text, "new": {str(text): [text, number]}}
    if "object" in types:
        child = part.get("additionalProperties")
        value = (
            filled(child, document, text, number)
            if isinstance(child, dict)
            else [text, {str(text): text}, number]
        )
        return {str(text): value, "co_name": value, "recompile_limit": value}
    if "array" in types:
        return [filled(part.get("items", {}), document, text, number)] * 2
    if "string" in types or not types:
        return text
    return number if {"integer", "number"} & set(types) else True


@pytest.fixture
def fields():
    names = Names(Pseudonyms(bytes(32)))
    return Fields(names, blob=lambda path: "blobs/x", log=lambda log: "log_x")


def places_with(canary, fields):
    """Return the tables, documents and kinds of findings in which a secret stays."""
    places = {
        name: fields.row(name, filled(schema(name), schema(name), canary, 4)) for name in schema_names()
    }
    details = schema("findings")["$defs"]["details"]["properties"]
    for kind, part in {**details, "acme": {"type": "object"}}.items():
        places[f"details of {kind}"] = fields.details(kind, filled(part, schema("findings"), canary, 4))
    return [name for name, value in places.items() if "acme" in json.dumps(value, ensure_ascii=False)]


@pytest.mark.parametrize("canary", CANARIES)
def test_a_secret_in_any_field_is_removed(fields, canary):
    assert places_with(canary, fields) == []


@pytest.mark.parametrize("name", LISTS)
def test_each_list_is_needed(name, fields, monkeypatch):
    """Without the list, a secret stays: the test above is able to notice."""
    monkeypatch.setitem(LISTS, name, lambda text: True)
    assert places_with("acme-hunter2", fields) != []


@pytest.mark.parametrize("rule", ["name", "text", "function", "path", "variable", "record"])
def test_each_rule_about_names_is_needed(rule, monkeypatch):
    monkeypatch.setattr(Names, rule, lambda names, text, *_: text)
    names = Names(Pseudonyms(bytes(32)))
    assert places_with("acme-hunter2", Fields(names, blob=lambda path: "x", log=lambda log: "x")) != []


@pytest.mark.parametrize("content", sorted(CONTENTS))
def test_each_kind_of_content_is_needed(content, fields, monkeypatch):
    usual = Fields._content

    def careless(self, its_content, *arguments, **options):
        if its_content == content:
            return lambda value, row: value
        return usual(self, its_content, *arguments, **options)

    monkeypatch.setattr(Fields, "_content", careless)
    assert places_with("acme-hunter2", fields) != []


def test_a_secret_number_in_a_text_field_is_removed(fields):
    """A card number can be a value that a guard expects, a setting, or an argument."""
    card = 4111111111111111
    for path in keepable():
        table, *keys = path.split(".")
        document = schema(table)
        row = fields.row(table, filled(document, document, card, 4))
        value = row
        for key in keys:
            value = value[0] if isinstance(value, list) else value
            value = value.get(key) if isinstance(value, dict) else value
        if path != "metrics.values":  # the numbers of metrics that torch defines stay
            assert str(card) not in json.dumps(value), path


def test_settings_keep_torchs_names_and_what_is_on_or_off(fields):
    config = {
        "recompile_limit": 4111,
        "verbose": True,
        "acme_mode": True,
        "cache_dir": "/home/ann",
        "suppress_errors": None,
    }
    new = fields.row("functorch_configs", {"event": 1, "compile": "0/0", "attempt": 0, "config": config})[
        "config"
    ]
    assert new["verbose"] is True and new["suppress_errors"] is None
    assert new["recompile_limit"].startswith("redacted_")
    assert not {"acme_mode", "cache_dir"} & {*new} and "ann" not in json.dumps(new)


def test_metrics_keep_numbers_of_fields_that_torch_defines(fields):
    values = {
        "graph_op_count": 7,
        "acme_count": 7,
        "co_name": "train",
        "compile_id": "0/1",
        "is_forward": True,
    }
    row = {
        "event": 1,
        "compile": "0/1",
        "attempt": 0,
        "type": "compilation_metrics",
        "values": values,
        "configs": {},
        "cut": [],
    }
    new = fields.row("metrics", row)["values"]
    assert new["graph_op_count"] == 7 and new["compile_id"] == "0/1" and new["is_forward"] is True
    assert "acme_count" not in new and new["co_name"].startswith("redacted_")


def test_a_kept_field_stays_as_it_is():
    kept = Fields(Names(Pseudonyms(bytes(32))), frozenset(("graph_breaks.hints", "stacks.code")))
    frame = {
        "id": 0,
        "parent": None,
        "file": "/home/ann/x.py",
        "line": 3,
        "function": "train",
        "code": "x = 1",
    }
    assert kept.row("stacks", frame)["code"] == "x = 1" and "train" not in str(kept.row("stacks", frame))
    hints = kept.row("graph_breaks", {"hints": ["move it"], "explanation": "because"})
    assert hints["hints"] == ["move it"] and hints["explanation"].startswith("redacted_")


def test_rows_keep_their_fields_and_their_numbers(fields):
    """Every field of a table stays a field, with null only where the schema allows it or nothing is known."""
    for name in row_tables():
        document = schema(name)
        row = filled(document, document, "acme", 4)
        new = fields.row(name, row)
        assert set(new) == set(document["properties"]), name
        for key, part in document["properties"].items():
            if types_of(part) in (["integer"], ["integer", "null"]):
                assert new[key] == 4, (name, key)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("record-cut", CODES["record-cut"].meaning), ("acme-code", REDACTED), (None, REDACTED)],
)
def test_a_diagnostic_has_our_sentence_about_its_code(fields, code, expected):
    row = {"event": None, "code": code, "severity": "warning", "message": "acme", "line": 1}
    assert fields.row("diagnostics", row)["message"] == expected
    assert (
        fields.row("findings", {"code": "record-cut", "title": "acme", "kind": "unlisted"})["title"]
        == REDACTED
    )


def test_values_in_lists_and_objects_of_metrics(fields):
    def measured(value):
        row = {"type": "compilation_metrics", "values": {"graph_op_count": value}, "configs": {}, "cut": []}
        return fields.row("metrics", row)["values"]["graph_op_count"]

    assert measured([1, 2.5, None, True, "0/1"]) == [1, 2.5, None, True, "0/1"]
    (name,) = measured(["acme"])
    ((key, value),) = measured({"acme": 7}).items()
    assert name == key and name.startswith("name_") and value == 7
    assert measured("acme").startswith("redacted_")
    deep, kept = 7, 0
    for _ in range(30):
        deep = [deep]
    found = measured(deep)
    while found:
        (found,) = found
        kept += 1
    assert kept == 20 and found is None


def test_a_value_of_another_type_is_dropped(fields):
    assert fields.row("stacks", {"id": "7", "parent": True, "line": 1.5, "function": 3, "code": "x"}) == {
        "id": None,
        "parent": None,
        "line": None,
        "file": None,
        "function": None,
        "code": None,
    }
