"""JSON of a log becomes values that JavaScript can read and every reader accepts."""

import pytest
from tlparse_bundle.log import json_text
from tlparse_bundle.log.json_text import (
    MAX_SAFE_INTEGER,
    has_long_integer,
    is_deep,
    is_index,
    json_to_keep,
    lenient_json,
    parse_json,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9007199254740991", MAX_SAFE_INTEGER),
        ("9007199254740992", "9007199254740992"),
        ("-9007199254740991", -MAX_SAFE_INTEGER),
        ("-9007199254740992", "-9007199254740992"),
        ("123456789012345678901", "123456789012345678901"),
        ("0.12345678901234567", 0.12345678901234567),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("1e999", "1e999"),
        ('"\\ud800"', "\ufffd"),
        ('{"\\ud800": ["\\ud83d\\ude00"]}', {"\ufffd": ["😀"]}),
        (b'"\xff"', "\ufffd"),
        ("\ud800", None),
    ],
)
def test_values(text, expected):
    if expected is None:
        with pytest.raises(ValueError):
            parse_json(text)
        return
    assert parse_json(text) == expected and type(parse_json(text)) is type(expected)


def test_a_value_that_is_not_written_as_a_whole_keeps_its_integers():
    assert parse_json("[9007199254740992]", for_table=False) == [9007199254740992]
    assert parse_json("[NaN]", for_table=False) == ["NaN"]


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_values_are_nested_at_most_a_hundred_deep(brackets):
    begin = "[" if brackets == "[]" else '{"a":'
    text = begin * 99 + brackets + brackets[1] * 99
    assert parse_json(text) is not None
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(begin + text + brackets[1])
    assert parse_json(begin + text + brackets[1], for_table=False) is not None
    flat = "[" + ",".join(["[]"] * 200) + "]"
    assert parse_json(flat) == [[]] * 200 and not is_deep(flat.encode(), [[]] * 200)


def test_a_text_that_is_larger_than_an_envelope(monkeypatch):
    monkeypatch.setattr(json_text, "MAX_LINE_BYTES", 10)
    assert parse_json('"12345678"') == "12345678"
    with pytest.raises(ValueError, match="too large"):
        parse_json('"123456789"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[1, 9007199254740991]", False),
        (b"[1, 9007199254740992]", True),
        (b"[1.9007199254740999]", False),
        (b"1.9007199254740999, 9007199254740999", True),
        (b"10000000000000000", True),
        (b"1000000000000000", False),
        (b'"0000000000000000"', False),
    ],
)
def test_integers_that_javascript_lacks_are_found(text, expected):
    assert has_long_integer(text) is expected


def test_whether_text_was_mended():
    assert lenient_json(b'["a"]') == (["a"], False)
    assert lenient_json(b'["\\u00e9", NaN]') == (["é", "NaN"], False)
    assert lenient_json(b'["\\ud800"]') == (["\ufffd"], True)
    assert lenient_json(b'["\xff"]') == (["\ufffd"], True)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, True),
        (MAX_SAFE_INTEGER, True),
        (MAX_SAFE_INTEGER + 1, False),
        (-1, False),
        (True, False),
        (1.0, False),
    ],
)
def test_indexes(value, expected):
    assert is_index(value) is expected


def test_json_is_copied():
    assert json_to_keep({"a": [1, None]}) == b'{"a":[1,null]}'
