"""The quick shape check agrees with jsonschema on tables of real logs and on their mutations."""

import copy
import random
import re

import pytest
from jsonschema import Draft202012Validator
from log_builder import RARE as RARE_LOG
from rows_of_tables import JOBS, RARE, folder_of, rows_of
from tlparse_bundle.bundle.schema_check import Malformed, compile_schema
from tlparse_bundle.bundle.schemas import schema, schema_names

MOST = 6  # rows of a table
VALUES = [
    None,
    True,
    False,
    0,
    -1,
    -2,
    5,
    10**30,
    1.5,
    "",
    "x",
    "0" * 64,
    "crlf",
    [],
    {},
    [None],
    [0],
    ["x"],
    [[]],
    [{}],
    {"x": 1},
    {"0": "crlf"},
]


def short(value, length=4):
    """Return the value with its lists shortened."""
    if isinstance(value, dict):
        return {key: short(item, length) for key, item in value.items()}
    return [short(item, length) for item in value[:length]] if isinstance(value, list) else value


def places(value, path=()):
    """Yield the paths of all values in a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def shape(value):
    """Return the structure of a value, with list elements merged."""
    return frozenset(tuple("*" if type(key) is int else key for key in path) for path in places(value))


def mutated(value, chance):
    value = copy.deepcopy(value)
    *path, last = chance.choice([path for path in places(value) if path] or [("x",)])
    holder = value
    for key in path:
        holder = holder[key]
    action = chance.randrange(4)
    if action == 0 and isinstance(holder, dict):
        holder.pop(last, None)
    elif action == 1 and isinstance(holder, dict):
        holder[chance.choice(["extra", "0", "é"])] = chance.choice(VALUES)
    elif action == 2 and isinstance(holder, list):
        holder.extend(chance.choices(VALUES, k=chance.randrange(1, 4)))
    else:
        holder[last] = chance.choice(VALUES)
    return value


def accepted(check, value):
    try:
        check(value, {})
    except Malformed as error:
        assert "\n" not in str(error) and len(str(error)) < 500
        return False
    return True


@pytest.fixture(scope="module")
def documents(built, tmp_path_factory):
    """{schema name: values} from a small bundle of ranks and the fixtures."""
    rare = tmp_path_factory.mktemp("shapes") / "dedicated_log_torch_trace_x.log"
    rare.write_bytes(RARE_LOG)
    found = {name: [row] for name, row in RARE.items()}
    shapes = set()
    for name in (
        "train_step",
        "dynamic_shapes",
        "graph_breaks",
        "failures",
        "export_dtrace",
        "provenance_graphs",
        "ddp_split",
        "compiled_autograd",
        "wrappers",
        "regions",
        "recompiles",
        "overlap_scheduling",
        "memory_budget",
        "vllm/passes-cold",
        "versions/2.13.0/autotune_gemms.log.zst",
        "cuda/cuda_graphs.log.zst",
        "versions/2.15.0/slow_worker.log.zst",
        "versions/2.15.0/native_ops.log.zst",
        "rare",
        *JOBS,
    ):
        bundle = built(rare if name == "rare" else folder_of(name))
        for table, row in rows_of(bundle):
            if len(found.setdefault(table, [])) < MOST:
                found[table].append(row)
        for kind, value in (
            ("manifest", bundle.manifest),
            *(("log", log.directory) for log in bundle.logs[:2]),
        ):
            if (kind, shape(value)) not in shapes:  # one of each shape
                shapes.add((kind, shape(value)))
                found.setdefault(kind, []).append(value)
    return found


@pytest.mark.parametrize("name", schema_names())
def test_it_agrees_with_jsonschema(name, documents):
    reference, check, open_check = (
        Draft202012Validator(schema(name)),
        compile_schema(schema(name), closed=True),
        compile_schema(schema(name)),
    )
    chance = random.Random(name)
    for value in documents[name]:
        check(value, {})
        value = short(value)
        verdicts = set()
        for _ in range(60):
            other = mutated(value, chance)
            if chance.random() < 0.3:
                other = mutated(other, chance)
            valid = reference.is_valid(other)
            verdicts.add(valid)
            assert accepted(check, other) == valid, next(reference.iter_errors(other), other)
            assert not valid or accepted(open_check, other)
        assert False in verdicts


@pytest.mark.parametrize("name", schema_names())
def test_unknown_fields_and_words_of_a_newer_version_are_accepted(name, documents):
    check, closed = compile_schema(schema(name)), compile_schema(schema(name), closed=True)
    value = short(documents[name][0])
    refused = 0
    for path in places(value):
        other = copy.deepcopy(value)
        holder = other
        for key in path:
            holder = holder[key]
        if isinstance(holder, dict):
            holder["a field of later"] = {"a": [1]}
            try:
                closed(other, {})
            except Malformed as error:
                if error.problem == "unknown field":
                    check(other, {})
                    refused += 1
    assert refused


ROW = {"type": ["object", "null"], "required": ["n"], "properties": {
    "n": {"type": "integer", "minimum": 0}, "word": {"enum": ["a", None]}, "hash": {"type": ["string", "null"], "pattern": "^[0-9a-f]{4}$"}, "a_index": {"type": ["integer", "null"], "minimum": -1},
    "list": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "number"}}}}, "pair": {"type": "array", "minItems": 1, "items": {"type": "array", "items": {"type": "string"}}},
    "of": {"type": "object", "additionalProperties": {"type": "integer"}}, "any": {}, "null": {"type": "null"},
}}  # fmt: skip
ROWS = [
    None, {"n": 1}, {"n": 1, "later": [1]}, {}, {"n": None}, {"n": True}, {"n": -1}, {"n": 1.0}, {"n": 2**70}, 0, "x", [], {"n": 1, "word": None}, {"n": 1, "word": 5},
    *({"n": 1, "hash": text} for text in (None, 5, "0a9f", "0a9", "0a9f0", "0A9F", "0a9g", "0a9\n", "0a9\ud800", "0a9é")), {"n": 1, "a_index": -1}, {"n": 1, "a_index": 7}, {"n": 1, "a_index": -2},
    {"n": 1, "list": []}, {"n": 1, "list": [{"k": 1.5}]}, {"n": 1, "list": [{"k": "1"}]}, {"n": 1, "list": [{}]}, {"n": 1, "list": [{"k": 1}] * 3}, {"n": 1, "list": None}, {"n": 1, "list": [5]},
    {"n": 1, "pair": []}, {"n": 1, "pair": [[]]}, {"n": 1, "pair": [["x"], [5]]}, {"n": 1, "pair": ["x"]}, {"n": 1, "of": {"a": 1}}, {"n": 1, "of": {"a": "1"}}, {"n": 1, "of": {"a": False}}, {"n": 1, "any": [{}]}, {"n": 1, "null": 0},
]  # fmt: skip


def test_each_of_many_rows_is_judged_alone():
    def target(name):
        return "rows" if name == "a_index" else None

    alone, many = compile_schema(ROW, target), compile_schema({"type": "array", "items": ROW}, target)
    assert [accepted(alone, row) for row in ROWS].count(True) == 14
    for row in ROWS:
        for others in (
            [],
            [{"n": 0, "a_index": 3}],
            [None, {"n": 3, "hash": "00ff", "list": [{"k": 0}], "pair": [["x"]]}],
        ):
            for rows in ([row, *others], [*others, row]):
                noted, expected = {}, {}
                assert accepted(many, rows) == accepted(alone, row), rows
                if accepted(alone, row):
                    many(rows, noted)
                    [alone(one, expected) for one in rows]
                    assert noted.get("rows", -1) == expected.get("rows", -1)


def test_where_it_is_stricter():
    check = compile_schema(
        {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "s": {"type": "string", "pattern": "^[a-z]+$"}},
        }
    )
    for value in ({"n": 1.0}, {"n": True}, {"s": "abc\n"}):
        assert not accepted(check, value)


@pytest.mark.parametrize("keyword", ["oneOf", "maximum", "format", "prefixItems", "patternProperties", "not"])
def test_a_keyword_that_it_does_not_know_is_an_error(keyword):
    with pytest.raises(ValueError, match=keyword):
        compile_schema({"type": "object", "properties": {"a": {"type": "array", "items": {keyword: {}}}}})


@pytest.mark.parametrize("value, said", [
    ([], "top level: a list is not an object"),
    ({}, "top level: 'rows' is missing"),
    ({"rows": [{"n": 1}, {"n": -1}]}, "rows[1].n: -1 is less than 0"),
    ({"rows": [{"n": "1"}]}, "rows[0].n: '1' is not an integer"),
    ({"rows": [{"n": 0}], "word": 5}, "word: 5 is not a string"),
    ({"rows": [{"n": 0}], "column": [1, 2, "\x1b[2J" * 100]}, "column[2]: '"),
])  # fmt: skip
def test_messages_name_place_and_problem(value, said):
    check = compile_schema({
        "type": "object", "required": ["rows"],
        "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}}},
            "word": {"enum": ["a"]}, "column": {"type": "array", "items": {"type": "integer"}},
        },
    })  # fmt: skip
    with pytest.raises(Malformed, match="^" + re.escape(said)) as error:
        check(value, {})
    assert "\x1b" not in str(error.value)


def test_the_largest_reference_is_recorded():
    column = {"type": "array", "items": {"type": ["integer", "null"], "minimum": -1}}
    check = compile_schema({"type": "object", "properties": {"a_index": column, "other": column, "rows": {"type": "array", "items": {"type": "object", "properties": {
        "b_index": {"type": "integer"}}}}}}, lambda name: "rows of a" if name.endswith("_index") else None)  # fmt: skip
    highest = {}
    check({"a_index": [3, None, -1], "other": [9], "rows": [{"b_index": 7}, {"b_index": 2}]}, highest)
    assert highest == {"rows of a": 7}
