"""Checks as JUnit XML, which most CI systems show, with a test case per outcome."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.statements.runs.check.limits import FAILED, UNKNOWN, Outcome
from tlparse_bundle.statements.source_places import where

NAME = "tlparse-bundle check"
_NOT_XML = re.compile("[\ufffe\uffff]")  # ``shown`` keeps these, but XML forbids them


def check(outcomes: Sequence[Outcome], *, allow_unknown: bool) -> str:
    """Return the document with its XML declaration."""
    unknown = sum(outcome.outcome == UNKNOWN for outcome in outcomes)
    counts = {
        "tests": len(outcomes),
        "failures": sum(outcome.outcome == FAILED for outcome in outcomes),
        "errors": 0 if allow_unknown else unknown,
        "skipped": unknown if allow_unknown else 0,
    }
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": NAME, **{name: str(count) for name, count in counts.items()}}
    )
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _text(outcome.log or "all logs"), "name": _text(outcome.rule)}
        )
        if outcome.outcome == FAILED or outcome.outcome == UNKNOWN:
            tag = "failure" if outcome.outcome == FAILED else "skipped" if allow_unknown else "error"
            element = ElementTree.SubElement(case, tag, {"message": _text(outcome.text)})
            element.text = "\n".join(_lines(outcome)) or None
        else:
            ElementTree.SubElement(case, "system-out").text = _text(outcome.text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _lines(outcome: Outcome) -> list[str]:
    lines = []
    for row in outcome.findings:
        place = where(row)
        lines.append(_text(f"{row['title']} ({place})" if place else row["title"]))
        lines.extend(f"  -> {_text(remedy['text'])}" for remedy in row["remedies"])
    return lines


def _text(text: str) -> str:
    return _NOT_XML.sub("", shown(text))
