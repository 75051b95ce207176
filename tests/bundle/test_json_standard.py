"""The standard library's JSON, used where there is no orjson wheel, matches orjson byte for byte."""

import struct

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from tlparse_bundle.bundle import json_standard

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)
TEXTS = [
    "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809", "[1, 12345678901234567890123]", "1" * 400,
    "1e999", "-1e999", "1E+2", "-0", "-0.0", "0.1e-7", "5e-324", "2.2250738585072011e-308",
    "NaN", "[Infinity]", '"\\ud800"', '"\\ud800\\u0041"', '"\\ud83d\\ude00"', '{"\\udc00": 1}', '"\\u0000"', '"\x01"', '"\x7f"', '"\\x"', '"\\/"',
    "", " ", " 1 ", "\x0b1", "\ufeff1", "01", "1.", ".5", "+1", "[1,]", '{"a":1,}', '{"a":1,"a":2}', "[1]x", "{1:2}", "'a'", "tru",
    "[" * 2000 + "]" * 2000, '{"a":' * 2000 + "1" + "}" * 2000,
]  # fmt: skip


@cases(200)
@given(VALUES)
def test_values_have_the_same_bytes(value):
    expected = orjson.dumps(value)
    assert json_standard.dumps(value) == expected
    assert repr(json_standard.loads(expected)) == repr(orjson.loads(expected))
    assert json_standard.dumps_indented(value) == orjson.dumps(
        value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )
    assert json_standard.dumps_sorted(value) == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


@cases(200)
@given(
    st.binary(min_size=8, max_size=8)
    | st.builds(
        lambda m, e: struct.pack("<d", float(f"{m}e{e}")), st.integers(-9999, 9999), st.integers(-12, 24)
    )
)
def test_numbers_have_the_same_bytes(data):
    number = struct.unpack("<d", data)[0]
    assert json_standard.dumps([number, f"{number}e-05", 1e-05]) == orjson.dumps(
        [number, f"{number}e-05", 1e-05]
    )


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12])
@pytest.mark.parametrize(
    "form", [str, str.encode, lambda text: memoryview(text.encode())], ids=["str", "bytes", "memoryview"]
)
def test_texts_are_read_alike(text, form):
    try:
        expected = orjson.loads(form(text))
    except orjson.JSONDecodeError:
        with pytest.raises(json_standard.JSONDecodeError):
            json_standard.loads(form(text))
    else:
        assert repr(json_standard.loads(form(text))) == repr(expected)


def test_invalid_utf_8_is_not_json():
    for data in (b'"\xff"', b'"\xed\xa0\x80"', b"\xff\xfe1\x00"):
        with pytest.raises(json_standard.JSONDecodeError):
            json_standard.loads(data)


def test_what_json_cannot_hold_is_a_type_error():
    for value in (object(), {1, 2}, b"x", "\ud800", {"\ud800": 1}):
        for dumps in (orjson.dumps, json_standard.dumps):
            with pytest.raises(TypeError):
                dumps(value)


def test_other_types_that_become_json():
    assert json_standard.dumps([{1}, json_standard.Fragment(b"2")], default=list) == orjson.dumps(
        [{1}, orjson.Fragment(b"2")], default=list
    )


def test_a_fragment_stands_as_it_is():
    part = b'{"a":[1,2.5,"\xc3\xa9"]}'
    assert json_standard.dumps({"x": [json_standard.Fragment(part), float("nan")]}) == orjson.dumps(
        {"x": [orjson.Fragment(part), None]}
    )
