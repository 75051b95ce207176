"""All viewers in Firefox: every view is drawn without errors, nothing is wider than the window, a dropped log
becomes a bundle.
"""

import json
import shutil
import subprocess

import pytest
from addresses import ADDRESSES, hash_of
from conftest import FIXTURES, ROOT
from plain_server import plain_server
from tlparse_bundle import Bundle
from tlparse_bundle.serve.browser_python import python_folder
from tlparse_bundle.serve.publish.site import write_site

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
DRIVER = ROOT / "viewers" / "node_modules" / "puppeteer-core"
WIDTHS = (1024, 1440, 1920)
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
    """Open pages in Firefox and return what ``firefox.mjs`` prints for each visit."""
    done = subprocess.run(
        ["node", ROOT / "tests" / "web" / "firefox.mjs"],
        input=json.dumps({"executable": FIREFOX, "pages": pages}),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def expect_healthy(opened, number):
    """Check a number of visits: no errors, some text, and nothing wider than the window."""
    assert len(opened) == number
    wrong = [
        f"{visit['url']}{visit['hash']} at {visit['width']}: {visit['errors'] or visit['overflow_px']}"
        for visit in opened
        if visit["errors"] or visit["overflow_px"] > 0 or not visit["text"].strip()
    ]
    assert not wrong, "\n".join(wrong)


def test_errors_and_overflow_are_noticed(tmp_path):
    (tmp_path / "wrong.html").write_text(
        "<main><p style='width: 3000px'>text</p></main><script>console.error('one'); undefined_name</script>"
        "<script src='missing.js'></script>"
    )
    with plain_server(tmp_path) as address:
        (visit,) = visits({"url": f"{address}/wrong.html", "hashes": [""], "widths": [1024]})
    assert visit["overflow_px"] > 1900
    errors = "\n".join(visit["errors"])
    assert all(part in errors for part in ("console error: one", "undefined_name", "404: ", "missing.js")), (
        errors
    )


def test_every_view_of_the_default_viewer(bundle_of, address_of):
    pages = [
        {
            "url": address_of(bundle_of(fixture)),
            "hashes": [hash_of(place, Bundle.open(bundle_of(fixture)).logs[0].id) for place in places],
            "widths": WIDTHS,
        }
        for fixture, places in ADDRESSES.items()
    ]
    expect_healthy(visits(*pages), len(WIDTHS) * sum(map(len, ADDRESSES.values())))


def test_the_other_viewers(bundle_of, address_of):
    def logs(name):
        folder = FIXTURES / name
        return folder / "trace" if (folder / "trace").exists() else folder

    def page(url, places):
        return {"url": url, "hashes": [f"#v=1&{place}".rstrip("&") for place in places], "widths": WIDTHS}

    pages = [
        page(address_of(bundle_of(logs(fixture))).replace("/default/", f"/{viewer}/"), places)
        for viewer, (fixture, places) in VIEWERS.items()
    ]
    pair, places = COMPARED
    base, new = (address_of(bundle_of(logs(pair) / side)) for side in ("base", "new"))
    compared = base.replace("/default/?bundle=", "/compare/?base=") + "&new=" + new.split("?bundle=")[1]
    pages.append(page(compared, places))
    expect_healthy(visits(*pages), len(WIDTHS) * sum(len(one["hashes"]) for one in pages))


@pytest.mark.skipif(python_folder() is None, reason="viewers/vendor/python is missing: install with Node")
def test_a_dropped_log_becomes_a_bundle(tmp_path, bundle_of):
    write_site([bundle_of("graph_breaks")], tmp_path / "site")
    (log,) = (FIXTURES / "recompiles" / "trace").glob("*.log")
    page = {
        "hashes": ["", "#v=1&view=recompiles"],
        "widths": [1440],
        "drop": {"name": log.name, "text": log.read_text(encoding="utf-8")},
    }
    with plain_server(tmp_path / "site") as address:
        opened = visits({"url": f"{address}/viewers/home/", **page})
    expect_healthy(opened, 2)
    overview = Bundle.open(bundle_of("recompiles")).logs[0].summary["text"]
    assert overview in " ".join(opened[0]["text"].split())
