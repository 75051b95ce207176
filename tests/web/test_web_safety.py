"""A trace is data: its strings are shown as text, and nothing leaves the page's own host."""

import json
import re

import pytest
from conftest import VIEWERS
from log_builder import log, record
from pages import go
from playwright.sync_api import expect

EVIL = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
SOURCES = sorted(
    path
    for path in VIEWERS.rglob("*.*")
    if path.suffix in (".js", ".html") and not {"node_modules", "vendor"} & set(path.parts)
)


def hostile():
    frame = {"line": 1, "name": EVIL, "filename": 0, "loc": EVIL}
    metrics = {"co_name": EVIL, "co_filename": EVIL, "co_firstlineno": 1, "fail_type": EVIL, "fail_reason": EVIL, "fail_user_frame_filename": EVIL,
               "fail_user_frame_lineno": 1, "restart_reasons": [EVIL], "recompile_reason": EVIL, EVIL: EVIL, "__proto__": EVIL}  # fmt: skip
    return b"".join([
        record("str " + json.dumps([EVIL, 0])),
        record("dynamo_start 0/0 " + json.dumps({"stack": [frame, frame]})),
        record("artifact:x 0/0 " + json.dumps({"name": EVIL}), payload=EVIL),
        record("artifact:dynamo_graph_break_reason 0/0", payload=f"Graph break in user code at {EVIL}:1\nGraph Break Reason: {EVIL}\n  Hint: {EVIL}\n"),
        record("artifact:recompile_reasons 0/1", payload=f"0/0: {EVIL} == 1  # {EVIL}  # {EVIL}:3 in f"),
        record("dynamo_cpp_guards_str 0/0", payload=f"TREE_GUARD_MANAGER:\n+- RootGuardManager\n| +- GuardManager: source={EVIL}, accessed_by=x\n| | +- {EVIL}: {EVIL}  # {EVIL}:3 in f\n"),
        record("artifact:aotautograd_cache_bypass 0/0", payload=json.dumps({"cache_bypass_reason": EVIL, "key": EVIL, "cache_state": "bypass"})),
        record("link 0/0 " + json.dumps({"name": EVIL, "url": "javascript:document.title='broken'"})),
        record("torch_version", payload=json.dumps({"pytorch_version": EVIL})),
        record('artifact:torch_version {"encoding": "json"}', payload=json.dumps({"pytorch_version": EVIL})),
        record("compilation_metrics 0/0 " + json.dumps(metrics)),
        json.dumps(EVIL).encode() + b"\n",
    ])  # fmt: skip


HOSTILE_VIEWS = [
    "overview", "stack", "stack&compile=0/0", "compiles", "compile&compile=0/0", "compile&compile=0/0&artifact=~stack", "compile&compile=0/0&artifact=~metrics",
    "compile&compile=0/0&artifact=dynamo_graph_break_reason", "events&event=2", "events&event=3", "diagnostics",
    "failures", "breaks", "recompiles", "recompiles&by=function", "guards", "caches",
]  # fmt: skip


def test_hostile_strings_are_text(show):
    page, _ = show(hostile())
    for view in HOSTILE_VIEWS:
        go(page, f"#v=1&view={view}")
        expect(page.get_by_role("main")).to_be_visible()
        if view != "diagnostics":
            expect(page.get_by_role("main")).to_contain_text("<img src=x onerror=")
        assert page.locator("img, script:not([src])").count() == 0, view
        assert "broken" not in page.title().replace(EVIL, ""), view
        assert page.locator("a[href^='javascript']").count() == 0, view


def test_hostile_artifact_name_opens(show):
    page, _bundle = show(hostile(), "#v=1&view=compile&compile=0/0")
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name=f"{EVIL} {len(EVIL)} B").click()
    expect(page.get_by_role("region", name="Text of")).to_contain_text(EVIL)


def test_hostile_address(show):
    page, _ = show(log("artifact:x 0/0\n    | text"), f"#v=1&view={EVIL}")
    expect(page.get_by_role("alert")).to_contain_text("<img src=x")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(VIEWERS)))
def test_sources_make_no_markup_from_data(path):
    text = path.read_text()
    for word in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "createContextualFragment",
        "DOMParser",
        "setHTMLUnsafe",
        "eval(",
        "new Function",
    ]:
        assert word not in text, f"{path.name} uses {word}"
    assert not re.search(r"https?://(?!www\.w3\.org)", text.replace("https?:", "")), (
        f"{path.name} names another host"
    )


def test_pages_carry_a_strict_policy():
    for page in VIEWERS.glob("*/index.html"):
        policy = re.search(r'Content-Security-Policy"\s+content="([^"]+)"', page.read_text())[1]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert (
            rules["default-src"] == "'none'"
            and rules["script-src"] == "'self'"
            and rules["style-src"] == "'self'"
        )
        assert (
            rules["connect-src"] == "'self'"
            and rules["base-uri"] == "'none'"
            and rules["form-action"] == "'none'"
        )


def test_bundle_on_another_host_is_refused(page_with_errors, address_of, bundle_of):
    address = address_of(bundle_of("basic_inference")).split("?")[0]
    page_with_errors.goto(address + "?bundle=https://example.com/bundle/")
    expect(page_with_errors.get_by_role("alert")).to_contain_text("is on a different host")
