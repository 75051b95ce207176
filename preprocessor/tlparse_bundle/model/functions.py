"""Names of functions. After a graph break, Dynamo compiles the rest of a function under a name of its own."""

from __future__ import annotations

import re
from typing import NamedTuple

# torch/_dynamo/resume_execution.py (TORCH_DYNAMO_RESUME_IN_PREFIX); before torch 2.1 "<resume in f>". Artifacts with the
# bytecode of such a function have its name with an ending.
_RESUMED = re.compile(r"(torch_dynamo_resume_in_)(.+)(_at_([0-9]+)(?:_(?:ORIGINAL|MODIFIED)_BYTECODE)?)|(<resume in )(.+)(>)")


class Resumed(NamedTuple):
    """The parts of a name: ``before + function + after`` is the name. ``line``: where the function resumes, from 1, None where torch does not name it."""

    before: str
    function: str
    after: str
    line: int | None


def resumed(name: str | None) -> Resumed | None:
    """Take the name of a function that resumes after a graph break apart; None for any other name."""
    match = _RESUMED.fullmatch(name or "")
    if match is None:
        return None
    if match[5]:
        return Resumed(match[5], match[6], match[7], None)
    return Resumed(match[1], match[2], match[3], int(match[4]))


def function_of(name: str | None) -> str | None:
    """Return the function of the program that a resumed part belongs to; any other name is returned as it is."""
    while part := resumed(name):
        name = part.function
    return name
