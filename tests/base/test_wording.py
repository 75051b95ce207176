"""Numbers, sizes, lists and code in sentences, at the limits of each form."""

import pytest
from tlparse_bundle.base.wording import (
    MOST_LINES,
    MOST_TEXT,
    code,
    first_line,
    function_name,
    large,
    length,
    listed,
    shortened,
    size,
    times,
)


@pytest.mark.parametrize(
    ("count", "expected"), [(0, "0 times"), (1, "once"), (2, "twice"), (3, "3 times"), (1234, "1,234 times")]
)
def test_how_often(count, expected):
    assert times(count) == expected


@pytest.mark.parametrize(
    ("size_bytes", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (1_000_000, "1.0 MB"),
        (10**9, "1.0 GB"),
        (10**12, "1000.0 GB"),
    ],
)
def test_sizes(size_bytes, expected):
    assert size(size_bytes) == expected


@pytest.mark.parametrize(
    ("parts", "options", "expected"),
    [
        ("", {}, ""),
        ("a", {}, "a"),
        ("ab", {}, "a and b"),
        ("abc", {}, "a, b and c"),
        ("abcd", {}, "a, b, c and 1 more"),
        ("abcd", {"most": 4, "joint": "or"}, "a, b, c or d"),
        ("abcd", {"most": 1}, "a and 3 more"),
        ("a" * 2000, {"most": 1}, "a and 1,999 more"),
    ],
)
def test_lists(parts, options, expected):
    assert listed(parts, **options) == expected


def test_code_is_one_span_on_one_line():
    assert code("f`x`\n\t y") == "`f'x' y`"
    assert (function_name("f"), function_name(None), function_name("")) == (
        "`f`",
        "`(unknown function)`",
        "`(unknown function)`",
    )


def test_a_long_name_counts_as_a_short_one():
    assert length(f"a {code('x' * 18)} b") == len("a  b") + 20
    assert length(f"a {code('x' * 19)} b") == len("a  b") + 20
    assert length(f"{code('x' * 90)} and {code('yy')}") == 20 + len(" and `yy`")


def test_a_long_first_line_is_cut():
    assert first_line("abcde\nf", most=5) == "abcde"
    assert first_line("abcdef", most=5) == "abcd…"
    assert first_line("a:\nb\nc") == "a: b"


def test_a_long_text_is_cut_by_lines_and_characters():
    lines = "\n".join("x" * MOST_LINES)
    assert [shortened(text) for text in (None, "", lines, "y" * MOST_TEXT)] == [
        None,
        "",
        lines,
        "y" * MOST_TEXT,
    ]
    assert shortened(f"{lines}\ny") == f"{lines} …"
    assert shortened("y" * (MOST_TEXT + 1)) == "y" * MOST_TEXT + " …"
    assert shortened("y" * (MOST_TEXT - 1) + " y") == "y" * (MOST_TEXT - 1) + " …"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("a", "A"), ("abc", "Abc"), ("vLLM loaded", "vLLM loaded"), ("Abc", "Abc"), ("1 a", "1 a")],
)
def test_a_sentence_begins_with_a_capital_letter(text, expected):
    assert large(text) == expected
