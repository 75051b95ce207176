"""Text from logs has no character that controls a terminal."""

import pytest
from tlparse_bundle.base.terminal_text import plain, shown


@pytest.mark.parametrize(
    ("text", "in_a_line", "of_lines"),
    [
        ("é 漢 \\x1b", "é 漢 \\x1b", "é 漢 \\x1b"),
        ("a\tb\nc", r"a\tb\nc", "a\tb\nc"),
        ("\x1b[2J\r\x7f\x9b", r"\x1b[2J\r\x7f\x9b", r"\x1b[2J\r\x7f\x9b"),
        ("\u202ea\u2028", r"\u202ea\u2028", r"\u202ea\u2028"),
        ("\ud800 \udfff", r"\ud800 \udfff", r"\ud800 \udfff"),
    ],
)
def test_what_is_not_seen_is_written_as_its_code(text, in_a_line, of_lines):
    assert (shown(text), plain(text)) == (in_a_line, of_lines)
