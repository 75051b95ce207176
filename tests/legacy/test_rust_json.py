"""JSON as serde_json reads and writes it."""

import pytest
from tlparse_bundle.legacy.rust_json import Struct, dumps, loads, loads_leniently, pretty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("-0", -0.0),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 1.8446744073709552e19),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", -9.223372036854775808e18),
        ("123456789012345678901", 1.2345678901234567e20),  # one unit below the nearest
        ("1.5", 1.5),
        ("-2.5e3", -2500.0),
        ("1E2", 100.0),
        ("1e308", 1e308),
        ("1e-5", 1e-05),
        ("123e-330", 1.23e-328),
        ("0e999999", 0.0),
        ("0.0", 0.0),
        ("1e-99999", 0.0),
        ("12345678901234567890.5", 12345678901234567000.0),
        ("0.12345678901234567890123", 0.12345678901234568),
        ("true", True),
        ("null", None),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_values(text, expected):
    found = loads(text.encode())
    assert (found, type(found), str(found)) == (expected, type(expected), str(expected))


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "1e309", "1e99999", '"\\ud800"', "{", "[1,]", "99" + "0" * 310]
)
def test_other_text_is_refused(text):
    with pytest.raises(ValueError):
        loads(text.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[NaN, -Infinity, 1e309, 1.5]", ["NaN", "-Infinity", "1e309", 1.5]),
        (b'"\\ud800x"', "\ufffdx"),
        (b'"\xff"', "\ufffd"),
        (b"1" + b"0" * 400, "1" + "0" * 400),
    ],
)
def test_what_python_writes_is_read_leniently(text, expected):
    assert loads_leniently(text) == expected


def test_values_are_nested_at_most_127_deep():
    for brackets in ("[]", ("{}")):
        begin = "[" if brackets == "[]" else '{"a":'
        end = brackets[1]
        inner = brackets
        text = begin * 126 + inner + end * 126
        assert loads(text.encode()) is not None
        with pytest.raises(ValueError, match="nested too deeply"):
            loads((begin + text + end).encode())
    assert len(loads(b"[" + b",".join([b"[]"] * 500) + b"]")) == 500
    with pytest.raises(ValueError, match="nested too deeply"):
        loads(b"[" * 100_000 + b"]" * 100_000)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "1.0"),
        (0.00001, "0.00001"),
        (-0.000015, "-0.000015"),
        (1e-06, "1e-6"),
        (1e16, "1e16"),
        (-1.5e300, "-1.5e300"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ([], "[]"),
        ({}, "{}"),
        ('é\n"', '"é\\n\\""'),
        ({"b": 1, "a": [1, {}]}, '{"a":[1,{}],"b":1}'),
        (Struct(b=1, a=2), '{"b":1,"a":2}'),
    ],
)
def test_one_line(value, expected):
    assert dumps(value) == expected


def test_indented():
    value = {"b": [1, [2]], "a": {}}
    assert pretty(value) == ('{\n  "a": {},\n  "b": [\n    1,\n    [\n      2\n    ]\n  ]\n}')
    assert pretty([1], 2) == "[\n      1\n    ]"
