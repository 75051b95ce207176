"""All viewers in Firefox: every view is drawn without errors, nothing is wider than the window, a dropped log
becomes a bundle.
"""

import json
import shutil
import subprocess

import pytest
from addresses import PARTS, hash_of
from conftest import FIXTURES, ROOT
from plain_server import plain_server
from tlparse_bundle import Bundle
from tlparse_bundle.serve.browser_python import python_folder
from tlparse_bundle.serve.publish.site import write_site

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
DRIVER = ROOT / "viewers" / "node_modules" / "puppeteer-core"
NARROW, WIDER = 1024, (1440, 1920)  # what does not fit is seen in the narrow window first
LIMIT_S = 900
VIEWERS = {  # viewer: fixture, hashes
    "provenance": ("provenance", ["", "pin=kernel:0"]),
    "multirank": ("jobs/pipeline_broken", [f"view={name}" for name in ("verdict", "collectives", "execution", "details")]),
    "vllm": ("vllm/llama-fail", ["", "piece=0"]),
    "letter": ("failures", [""]),
    "strip": ("recompiles", [""]),
    "bytes": ("recompiles", [""]),
    "starter": ("recompiles", [""]),
}  # fmt: skip
COMPARED = ("pairs/line_changed", [f"view={name}" for name in ("changes", "compiles", "timeline")])

pytestmark = [
    pytest.mark.skipif(not FIREFOX, reason="no Firefox: install firefox-esr"),
    pytest.mark.skipif(not DRIVER.exists(), reason="viewers/node_modules is missing: run npm ci in viewers/"),
]


def visits(*pages):
    """Open pages in one Firefox and return what ``firefox.mjs`` prints, a list for each page."""
    done = subprocess.run(
        ["node", ROOT / "tests" / "web" / "firefox.mjs"],
        input=json.dumps({"executable": FIREFOX, "pages": pages}),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    opened = iter([json.loads(line) for line in done.stdout.splitlines()])
    return [[next(opened) for visit in page["visits"] for _ in visit["widths"]] for page in pages]


def page_of(url, hashes):
    """Return a page for ``visits``: each hash in a narrow window, the first one in wider ones, too."""
    return {
        "url": url,
        "visits": [
            {"hash": hash, "widths": [NARROW, *(() if number else WIDER)]}
            for number, hash in enumerate(hashes)
        ],
    }


def expect_healthy(opened):
    """Check visits: no errors, some text, and nothing wider than the window."""
    wrong = [
        f"{visit['url']}{visit['hash']} at {visit['width']}: {visit['errors'] or visit['overflow_px']}"
        for visit in opened
        if visit["errors"] or visit["overflow_px"] > 0 or not visit["text"].strip()
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("fixture", "places"), PARTS)
def test_views_of_the_default_viewer(bundle_of, address_of, fixture, places):
    bundle = bundle_of(fixture)
    log_id = Bundle.open(bundle).logs[0].id
    (opened,) = visits(page_of(address_of(bundle), [hash_of(place, log_id) for place in places]))
    expect_healthy(opened)


@pytest.mark.parametrize("viewer", [*VIEWERS, "compare"])
def test_views_of_the_other_viewers(bundle_of, address_of, viewer):
    def address(name, part=""):
        folder = FIXTURES / name
        logs = folder / "trace" if (folder / "trace").exists() else folder / part
        return address_of(bundle_of(logs))

    if viewer == "compare":
        pair, places = COMPARED
        base, new = (address(pair, side) for side in ("base", "new"))
        url = base.replace("/default/?bundle=", "/compare/?base=") + "&new=" + new.split("?bundle=")[1]
    else:
        fixture, places = VIEWERS[viewer]
        url = address(fixture).replace("/default/", f"/{viewer}/")
    (opened,) = visits(page_of(url, [f"#v=1&{place}".rstrip("&") for place in places]))
    expect_healthy(opened)


def test_errors_and_wide_pages_are_noticed(tmp_path):
    (tmp_path / "wrong.html").write_text(
        "<main><p style='width: 3000px'>text</p></main><script>console.error('one'); undefined_name</script>"
        "<script src='missing.js'></script>"
    )
    with plain_server(tmp_path) as address:
        ((wrong, *_),) = visits(page_of(f"{address}/wrong.html", [""]))
    assert wrong["overflow_px"] > 1900
    errors = "\n".join(wrong["errors"])
    assert all(part in errors for part in ("console error: one", "undefined_name", "404: ", "missing.js")), (
        errors
    )


@pytest.mark.skipif(python_folder() is None, reason="viewers/vendor/python is missing: install with Node")
def test_a_dropped_log_becomes_a_bundle(tmp_path, bundle_of):
    write_site([bundle_of("graph_breaks")], tmp_path / "site")
    (log,) = (FIXTURES / "recompiles" / "trace").glob("*.log")
    dropped = {"name": log.name, "text": log.read_text(encoding="utf-8")}
    with plain_server(tmp_path / "site") as address:
        page = page_of(f"{address}/viewers/home/", ["", "#v=1&view=recompiles"])
        (opened,) = visits({**page, "drop": dropped})
    expect_healthy(opened)
    overview = Bundle.open(bundle_of("recompiles")).logs[0].summary["text"]
    assert overview in " ".join(opened[0]["text"].split())
