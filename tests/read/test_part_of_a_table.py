"""A table is read without the fields that nobody asks for, and what is read of it is what the whole of it says."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from tlparse_bundle.errors import BundleError
from tlparse_bundle.read.store import read_json, read_without

ORDER = ("few", "many", "more", "last", "behind")
PATH = "logs/a/spans.json"
WORDS = st.sampled_from([*ORDER, '"many":', ',"last":[1],"behind":{}', "\\", '\\"last\\":', "{", "é"])
VALUES = st.recursive(st.none() | st.integers() | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8)


def store(data):
    return SimpleNamespace(location="bundle", damaged={}, raw=lambda path, max_bytes=0: data)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


@cases(150)
@given(st.tuples(*[VALUES] * len(ORDER)).map(lambda values: dict(zip(ORDER, values))))
def test_what_is_read_is_what_the_whole_says(table):
    """Names that stand deeper, or in a text, are no fields of the table."""
    found = read_without(store(compact(table)), PATH, "many", "last")
    assert {name: found[name] for name in ("few", "last", "behind")} == {name: table[name] for name in ("few", "last", "behind")}
    assert read_without(store(compact(table)), PATH, "few", "last")["last"] == table["last"]


@cases(100)
@given(st.permutations(ORDER), st.fixed_dictionaries(dict.fromkeys(ORDER, VALUES)))
def test_fields_in_another_order_are_there_too(order, table):
    found = read_without(store(compact({name: table[name] for name in order})), PATH, "many", "last")
    assert found["last"] == table["last"]


def test_what_stands_between_is_not_looked_at():
    assert read_without(store(b'{"few":1,"many":[1,2,"last":5,"behind":6}'), PATH, "many", "last") == {"few": 1, "last": 5, "behind": 6}
    assert read_without(store(b'{"few": 1, "many": [2], "last": 5}'), PATH, "many", "last")["last"] == 5  # another writer leaves spaces


@pytest.mark.parametrize("data", [b"", b"{", b'{"few":1,"many":[],"last":[1}', b'{"few":x,"many":[],"last":1}', b'[{"many":1,"last":2}'])
def test_what_is_damaged_is_told(data):
    for read in (read_json, lambda *where: read_without(*where, "many", "last")):
        with pytest.raises(BundleError, match=r"spans\.json is no JSON") as error:
            read(store(data), PATH)
        assert error.value.code == "damaged"
