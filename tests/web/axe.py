"""Violations that axe-core finds.

It is a development dependency of the viewers, and only tests run it in the page, past the page's policy.
"""

import pytest
from conftest import VIEWERS
from pages import settle

AXE = VIEWERS / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = ["color-contrast", "link-in-text-block"]  # everything that can differ between light and dark


def violations(page, theme):
    """Return a line for each violation on the page; in the dark theme only about colors."""
    if not AXE.exists():
        pytest.skip("axe-core is missing: run 'npm ci' in viewers/")
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    only = {"type": "rule", "values": OF_COLOURS} if theme == "dark" else {"type": "tag", "values": TAGS}
    found = page.evaluate("only => axe.run(document, { runOnly: only, resultTypes: ['violations'] })", only)[
        "violations"
    ]
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"][:4]
    ]


def violations_in_both_themes(page):
    """Return violations in the light theme, then in the dark one as set by the system; light afterwards."""
    found = [f"light: {violation}" for violation in violations(page, "light")]
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # no color is in transition
    settle(page)
    found += [f"dark: {violation}" for violation in violations(page, "dark")]
    page.emulate_media(color_scheme="light")
    return found
