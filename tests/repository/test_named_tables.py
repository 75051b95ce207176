"""Tables, fields and files named in documents are those of the schemas."""

import json
import re

import pytest
import traces
from documents import GUIDES, code_spans, prose, text_of

# Other files of bundles, servers and sites.
_FILES = {"bundles", "schemas"} | {
    path.name.split(".")[0] for path in traces.ROOT.glob("schema/documents/*.schema.json")
}
_CHUNKS = re.compile(r"/\d{4}$")
# Files of tlparse; test_coming_from_tlparse.py checks these.
_OF_TLPARSE = {
    "compile_directory",
    "chromium_events",
    "runtime_estimations",
    "chromium_trace_with_runtime",
    "collective_schedules",
    "collectives_parity",
}
SCHEMAS = {
    path.name.split(".")[0]: json.loads(path.read_text(encoding="utf-8"))
    for path in traces.ROOT.glob("schema/*.schema.json")
}
_OF_BUNDLES = [
    name for name in GUIDES if not name.startswith(("fixtures/", "plugin/"))
]  # these have their own files and tables
_LIST = r"`\w+`(?:(?:, | and | or )`\w+`)*"


def fields(node):
    """Return the names of all fields below a part of a schema."""
    if isinstance(node, list):
        return set().union(*map(fields, node))
    return (
        set(node.get("properties", ())).union(*map(fields, node.values()))
        if isinstance(node, dict)
        else set()
    )


@pytest.mark.parametrize("name", _OF_BUNDLES)
def test_named_tables_exist(name):
    text, spans = prose(text_of(name)), code_spans(text_of(name))
    files = [
        found[1]
        for span in spans
        if (found := re.fullmatch(r"((?:[\w-]+/)*[\w-]+)\.json(?:\.zst)?", span))
        and not _CHUNKS.search(found[1])
    ]
    tables = [path.rpartition("/")[2] for path in files]
    lists = [
        first or second for first, second in re.findall(rf"\btables? ({_LIST})|({_LIST}) tables?\b", text)
    ]
    tables += [table for named in lists for table in re.findall(r"\w+", named) if table not in ("and", "or")]
    other = _FILES | (_OF_TLPARSE if name == "docs/how-to/coming-from-tlparse.md" else set())
    assert sorted(set(tables) - SCHEMAS.keys() - other) == []
    # "The table above" is wrong once the order of tables changes, and meaningless on a page of its own.
    assert (
        re.findall(r"\b(?:next|last|previous|following) (?:two |three |four |five |few )?tables?\b", text)
        == []
    )


@pytest.mark.parametrize("name", [name for name in _OF_BUNDLES if not name.startswith("docs/tables/")])
def test_named_fields_exist(name):
    """``recompiles.follows`` and the like.

    In lists of a table's fields the first word is a part of it.
    """
    text = re.sub(r"^\| `.*", "", text_of(name), flags=re.MULTILINE)
    named = [
        span.replace("[]", "").split(".")
        for span in code_spans(text)
        if re.fullmatch(r"\w+(?:\[\])?(?:\.\w+(?:\[\])?)+", span)
    ]
    assert [
        f"{table}.{'.'.join(path)}"
        for table, *path in named
        if table in SCHEMAS and path[-1] not in ("json", "py") and set(path) - fields(SCHEMAS[table])
    ] == []
