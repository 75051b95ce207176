"""A secret in any field of any table is redacted, and each rule of the redaction is needed for it.

The rows are made from the schemas: each text of a row, and each key of an object with any keys, is a secret.
"""

import itertools

import pytest
from secrets_of_logs import made
from tlparse_bundle.bundle.schemas import row_tables, schema
from tlparse_bundle.redact.fields import Fields
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.pseudonyms import Pseudonyms

TABLES = sorted([*row_tables(), "manifest", "log"])
# The first ones could pass for structure.
SECRETS = [
    "zofukix.bamelix",
    "fused_zofukix",
    "triton_poi_fused_zofukix_0",
    "1234567890123",
    "self.zofukix_1",
]
SECRETS += [secret.text for secret in made()]


def row_of(part, document, secrets):
    """Return a value for a part of a schema, with secrets as its texts."""
    if "$ref" in part:
        return row_of(
            {**document["$defs"][part["$ref"].rpartition("/")[2]], **_without(part, "$ref")},
            document,
            secrets,
        )
    types = part.get("type", "string")
    types = [types] if isinstance(types, str) else types
    if "object" in types or "properties" in part:
        row = {key: row_of(child, document, secrets) for key, child in part.get("properties", {}).items()}
        other = part.get("additionalProperties", True)
        if other is not False:
            row[next(secrets)] = row_of(other if isinstance(other, dict) else {}, document, secrets)
        return row
    if "array" in types:
        return [row_of(part.get("items", {}), document, secrets) for _ in range(2)]
    return next(secrets) if "string" in types else 7 if {"integer", "number"} & set(types) else True


def texts(value):
    """Yield the texts and keys of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def _without(part, key):
    return {name: value for name, value in part.items() if name != key}


def left(secret):
    """Return the tables in whose redacted rows the secret is left, when all their texts contain it."""
    fields = Fields(Names(Pseudonyms(b"k" * 32)), blob=lambda path: "blobs/x", log=lambda log: "log_x")
    documents = {table: schema(table) for table in TABLES}
    details = schema("findings")["$defs"]["details"]["properties"]
    rows = {
        **{table: (document, document, fields.row) for table, document in documents.items()},
        **{kind: (part, documents["findings"], fields.details) for kind, part in details.items()},
    }
    found = []
    for name, (part, document, redact) in rows.items():
        row = row_of(part, document, itertools.repeat(secret))
        if any(secret in text for text in texts(redact(name, row))):
            found.append(name)
    return found


@pytest.mark.parametrize("secret", SECRETS, ids=range(len(SECRETS)))
def test_a_secret_in_any_field_is_redacted(secret):
    assert left(secret) == []
