"""Names of functions. After a graph break, Dynamo compiles the rest of a function as a resume function."""

from __future__ import annotations

import re
from typing import NamedTuple

# torch/_dynamo/resume_execution.py (TORCH_DYNAMO_RESUME_IN_PREFIX); before torch 2.1 "<resume in f>".
# Artifacts with its bytecode have the name with an ending.
_RESUMED = re.compile(
    r"(torch_dynamo_resume_in_)(.+)(_at_([0-9]+)(?:_(?:ORIGINAL|MODIFIED)_BYTECODE)?)|(<resume in )(.+)(>)"
)


class ResumeFunction(NamedTuple):
    """The name of a resume function, ``before + function + after``. ``line``: where it resumes, from 1, or
    None.
    """

    before: str
    function: str
    after: str
    line: int | None


def resume_function(name: str | None) -> ResumeFunction | None:
    """Return the parts of the name of a resume function; None for any other name."""
    match = _RESUMED.fullmatch(name or "")
    if match is None:
        return None
    if match[5]:
        return ResumeFunction(match[5], match[6], match[7], None)
    return ResumeFunction(match[1], match[2], match[3], int(match[4]))


def function_of(name: str | None) -> str | None:
    """Return the function of the program that a resume function belongs to; any other name is returned as it
    is.
    """
    while part := resume_function(name):
        name = part.function
    return name
