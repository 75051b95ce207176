"""axe finds nothing to complain about: every view, light and dark.

axe-core is a development dependency of the viewers; it runs in the page by the test alone, past the page's policy.
"""

import pytest
from conftest import VIEWERS
from playwright.sync_api import expect
from test_web_safety import hostile

AXE = VIEWERS / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: run 'npm ci' in viewers/")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

FINDINGS = [
    "overview", "stack", "compiles", "failures", "breaks", "recompiles", "guards", "caches", "symbols", "timeline", "events", "events&event=3", "diagnostics",
    "export", "anatomy", "kernels", "tensors", "compile&compile=0/1", "compile&compile=0/1&artifact=~stack", "compile&compile=0/1&artifact=~metrics",
    "compile&compile=0/1&artifact=dynamo_output_graph&line=3-5", "compile&compile=0/1&artifact=dynamo_output_graph&pane=table",
    "compile&compile=0/1&artifact=dynamo_cpp_guards_str", "compile&compile=9/9",
    "compare&left={log}/0/0&right={log}/0/1", "compare&left={log}/0/0&right={log}/0/1&artifact=dynamo_cpp_guards_str",
    "compare&left={log}/0/0&right={log}/0/1&artifact=dynamo_cpp_guards_str&pane=unified", "compare&left={log}/0/0&right={log}/0/1&artifact=~frame", "compare",
    "search&q=grows", "search&q=", "nosuchview",
]  # fmt: skip


@pytest.fixture(scope="session", params=["light", "dark"])
def theme(request):
    return request.param


@pytest.fixture
def axe(browser, bundle_of, address_of, theme):
    """axe(source, hashes): what axe complains about, as lines of text."""
    contexts = []

    def check(source, hashes):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme, bypass_csp=True)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.add_init_script(path=AXE)
        page.goto(address_of(bundle_of(source)))
        found = []
        for hash in hashes:
            page.evaluate("hash => { location.hash = '#v=1&view=' + hash }", hash)
            expect(page.get_by_role("main")).not_to_be_empty()
            expect(page.locator(".loading")).to_have_count(0, timeout=20_000)
            page.wait_for_timeout(150)
            result = page.evaluate("tags => axe.run(document, { runOnly: tags, resultTypes: ['violations'] })", TAGS)
            for violation in result["violations"]:
                for node in violation["nodes"][:4]:
                    found.append(f"{hash}: {violation['id']}: {node['html'][:200]} {node['failureSummary'].splitlines()[1].strip()}")
        return found

    yield check
    for context in contexts:
        context.close()


def views(page):
    """The views that this viewer has."""
    known = (VIEWERS / "default" / "main.js").read_text()
    return [hash for hash in page if hash.split("&")[0] == "nosuchview" or f"{hash.split('&')[0]}: async () =>" in known]


def test_every_view(axe, bundle_of):
    from tlparse_bundle import Bundle

    log = Bundle.open(bundle_of("recompiles")).logs[0].id
    found = axe("recompiles", [hash.format(log=log) for hash in views(FINDINGS)])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("fixture, hashes", [
    ("failures", ["overview", "failures"]), ("graph_breaks", ["overview", "breaks", "stack"]), ("ranks4", ["overview", "search&q=reduce&by=logs"]),
    ("dynamic_shapes", ["symbols", "guards"]), ("export_dtrace", ["overview", "export"]), ("caches", ["overview", "caches"]),
])  # fmt: skip
def test_what_is_found(axe, fixture, hashes):
    found = axe(fixture, views(hashes))
    assert not found, "\n".join(found)


def test_hostile_bundle_and_help(axe, new_page, bundle_of, address_of):
    found = axe(hostile(), ["overview", "compile&compile=0/0", "diagnostics"])
    assert not found, "\n".join(found)


def test_every_view_is_checked():
    import re

    names = re.findall(r"^  (\w+): async \(\) =>", (VIEWERS / "default" / "main.js").read_text(), re.M)
    assert set(names) == {hash.split("&")[0] for hash in views(FINDINGS)} - {"nosuchview"}
