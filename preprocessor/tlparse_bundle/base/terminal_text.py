"""Makes control characters visible in text for terminals.

Names come from untrusted logs, bundles and folders. Payloads and JSON don't go through here.
"""

from __future__ import annotations

import re
from functools import cache

# C0 but tab and line feed, DEL, C1; marks and overrides of the direction of text; separators of lines; halves
# of surrogate pairs.
_UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_UNSEEN_IN_A_LINE = _UNSEEN[:-1] + "\t\n]"
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def shown(name: object) -> str:
    """Return a name for use within one line, without line breaks."""
    text = str(name)
    return text if text.isprintable() else _pattern(_UNSEEN_IN_A_LINE).sub(_escape, text)


def plain(text: str) -> str:
    """Return text of several lines, keeping our line ends."""
    return text if text.isprintable() else _pattern(_UNSEEN).sub(_escape, text)


@cache
def _pattern(characters: str) -> re.Pattern[str]:
    """Return the pattern, compiled on demand to keep startup fast."""
    return re.compile(characters)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
