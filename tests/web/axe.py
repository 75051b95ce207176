"""What axe-core complains about.

It is a development dependency of the viewers, and runs in the page by the test alone, past the page's policy.
"""

import pytest
from conftest import VIEWERS
from pages import settle

AXE = VIEWERS / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = ["color-contrast", "link-in-text-block"]  # all that light and dark can have different


def violations(page, theme):
    """A line for each thing that is wrong on the page as it is; in the dark only what depends on colours."""
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
    """Light, then dark, as the system changes it. Then light again."""
    found = [f"light: {violation}" for violation in violations(page, "light")]
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")  # no colour is on its way
    settle(page)
    found += [f"dark: {violation}" for violation in violations(page, "dark")]
    page.emulate_media(color_scheme="light")
    return found
