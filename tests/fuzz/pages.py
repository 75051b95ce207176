"""Hostile bundles in the viewers, in Chromium: nothing fails silently, hangs, requests another host, runs a
script or leaves the page empty.
"""

import json
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from chromium import OPTIONS, chromium
from playwright.sync_api import Error, sync_playwright
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.codecs import codec_of
from traces import ROOT

from fuzz import mutations
from fuzz.bases import NAMES, PAIRS, before, comparison
from fuzz.page_server import home, page_server
from fuzz.runner import MAX_BYTES, MAX_S, Fault

sys.path.append(str(ROOT / "tests" / "web"))
import contextlib

from pages import open_page, settle

SEEDS = Path(__file__).with_name("page_seeds.txt")
DEFAULT = [
    "overview", "stack", "stack&shape=flame", "stack&group=file", "compiles", "compile&compile=0/0", "compile&compile=0/0&artifact=~stack", "compile&compile=0/0&artifact=~metrics",
    "compile&compile=0/0&artifact=dynamo_output_graph", "compile&compile=0/0&artifact=dynamo_output_graph&pane=table", "compile&compile=0/0&artifact=dynamo_cpp_guards_str",
    "compile&compile=0/0&artifact=inductor_output_code", "recompiles", "recompiles&by=function", "guards", "failures", "failures&item=2", "breaks", "symbols", "tensors", "kernels",
    "caches", "export", "timeline", "anatomy", "anatomy&by=origin", "anatomy&by=compile", "compare", "events", "events&event=3", "events&event=30", "diagnostics", "search&q=a", "search&q=x&in=text",
]  # fmt: skip
OTHERS = {
    "multirank": [
        "view=verdict",
        "view=compare",
        "view=compare&column=0",
        "view=collectives",
        "view=execution",
        "view=timeline",
        "view=details",
    ],
    "provenance": ["", "pin=post:3", "pin=kernel:0", "pin=code:5"],
    "starter": ["", "compile=0/0", "compile=0/0&artifact=0"],
    "home": [""],
}
COMPARE = [
    "view=changes",
    "view=compiles",
    "view=compiles&change=0",
    "view=timeline",
    "view=timeline&width=base",
    "view=timeline&left=1/0&right=1/0",
    "view=compile&left=1/0&right=1/0",
]
COMPARE += [
    f"view=compile&left=1/0&right=1/0&part={part}"
    for part in ("dynamo_output_graph", "dynamo_cpp_guards_str", "inductor_output_code", "nothing")
]
VIEWS_A_CASE = 7
# Click on some elements; links to other pages are left alone.
CLICKS = """(random) => {
  const all = [...document.querySelectorAll("main a[href^='#'], main button, main summary, main [role='row'], main [role='treeitem'], main canvas, header button, main select")].slice(0, 500);
  for (const at of random) {
    const element = all[Math.floor(at * all.length)];
    if (!element?.isConnected) continue;
    element.focus?.();
    if (element.tagName === "CANVAS") element.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 300, clientY: 300 }));
    element.click();
    for (const key of ["ArrowDown", "Enter", "Escape"]) element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
}"""
HARM = (
    "document.querySelectorAll(\"img, script:not([src]), [onerror], [href^='javascript' i],"
    " [src^='javascript' i], iframe, object, embed\").length"
)
SAYS = "document.body.innerText.trim().length"


class Pages:
    """A browser that runs cases. Use as a context manager."""

    def __init__(self, browser):
        self._browser = browser

    def __enter__(self):
        self._manager = page_server()
        self._site = self._manager.__enter__()
        return self

    def __exit__(self, *error):
        self._manager.__exit__(*error)

    def run(self, name):
        """Return the faults of a case: 'BASE:SEED:pages'."""
        base, seed, _ = name.split(":")
        files, notes = mutations.mutate(base, seed)
        return self.run_files(name, files, notes)

    def run_files(self, name, files, notes, viewers=None):
        """Return the faults of a bundle in some views of each viewer."""
        rng = random.Random(f"views {name}")
        self._site.files, self._site.encoded = files, rng.random() < 0.5
        self._site.home = home(rng.choice(["x", "\u202ex", "<img src=x onerror=alert(1)>"]), _manifest(files))
        if (pair := name.split(":")[0]) in PAIRS:
            viewers = ["compare"]
            self._site.before, self._site.comparison = before(pair), comparison(pair)
            if rng.random() < 0.6:
                self._site.comparison = mutations.mutate_document("comparison", comparison(pair), rng, notes)
        viewers = viewers or [
            "default",
            *(["multirank"] if name.startswith("ranks") else []),
            rng.choice(list(OTHERS)),
        ]
        found = []
        for viewer in viewers:
            views = (
                [f"view={view}" for view in DEFAULT]
                if viewer == "default"
                else COMPARE
                if viewer == "compare"
                else OTHERS[viewer]
            )
            found += self._visit(viewer, rng.sample(views, min(len(views), VIEWS_A_CASE)), rng)
        kinds = {fault[0]: fault for fault in found}
        return [Fault(name, kind, notes, text) for kind, text in kinds.values()]

    def _visit(self, viewer, views, rng):
        page, found = open_page(self._browser), []
        page.on(
            "pageerror",
            lambda error: found.append((f"{viewer}: uncaught {_first(error.stack)}", str(error.stack))),
        )
        page.on("console", lambda message: found.extend(_console_faults(viewer, message)))
        page.on(
            "dialog", lambda dialog: (found.append((f"{viewer}: a dialog", dialog.message)), dialog.dismiss())
        )
        page.on("crash", lambda: found.append((f"{viewer}: the page crashed", "")))
        page.on(
            "request",
            lambda request: (
                self._own(request.url) or found.append((f"{viewer}: asks elsewhere", request.url[:300]))
            ),
        )
        at = ""
        watch = _Watch()
        try:
            for number, view in enumerate(views):
                at = f"#v=1&{view}"
                with watch:
                    if number == 0:
                        page.goto(
                            f"{self._site.address}/viewers/{viewer}/?{'comparison=/comparison/' if viewer == 'compare' else 'bundle=/bundle/'}{at}"
                        )
                    else:
                        page.evaluate("hash => { location.hash = hash }", at)
                    settle(page)
                    if not page.evaluate(SAYS):
                        found.append((f"{viewer}: says nothing", at))
                    page.evaluate(CLICKS, [rng.random() for _ in range(4)])
                    settle(page)
                    if page.evaluate(HARM):
                        found.append((f"{viewer}: markup from data", at))
                if urlparts(page.url) != f"{self._site.address}/viewers/{viewer}/":
                    break  # a link that a click followed
        except (Error, AssertionError) as error:
            found.append((f"{viewer}: {watch.why or _first(str(error))} at {view.split('&')[0]}", at))
        finally:
            peak = watch.peak()
            if peak > MAX_BYTES:
                found.append((f"{viewer}: over 1 GB at {at}", f"{peak / 1e6:.0f} MB"))
            with contextlib.suppress(Error):
                page.context.close()
        return found

    def _own(self, url):
        if url.startswith(("data:", "blob:")):
            return True
        path = url.removeprefix(self._site.address).split("?")[0].split("#")[0]
        if not url.startswith(self._site.address + "/"):
            return False
        if path in ("/bundles.json", "/comparison/comparison.json") or path.startswith("/viewers/"):
            return True
        bundle = re.match(r"/(?:bundle|comparison/(?:base|new))/", path)
        return bundle is not None and layout.is_own(path[bundle.end() :])


class _Watch:
    """Kill the page when the block takes too long, and measure the peak memory of the pages."""

    def __init__(self):
        self.why = ""
        self._known = set(_renderers())

    def __enter__(self):
        self._timer = threading.Timer(MAX_S, self._kill)
        self._timer.start()

    def __exit__(self, *error):
        self._timer.cancel()

    def _kill(self):
        self.why = f"over {MAX_S} s"
        for pid in _renderers():
            if pid not in self._known:
                os.kill(pid, 9)

    def peak(self):
        return max((_peak(pid) for pid in _renderers() if pid not in self._known), default=0)


def _renderers():
    """Return the renderer processes below this one."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                parents[int(entry)] = int(
                    Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                )
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and b"--type=renderer" in _read(f"/proc/{pid}/cmdline"):
            yield pid


def _peak(pid):
    match = re.search(rb"VmHWM:\s+(\d+) kB", _read(f"/proc/{pid}/status"))
    return int(match[1]) * 1024 if match else 0


def _read(path):
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def urlparts(url):
    return url.split("?")[0].split("#")[0]


def _manifest(files):
    try:
        return json.loads(codec_of("manifest.json").decode(files["manifest.json"]))
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _console_faults(viewer, message):
    """Yield faults that the page itself reported in the console.

    A file that the server lacks is not a fault.
    """
    if message.type == "error" and "Failed to load resource" not in message.text:
        yield f"{viewer}: {_first(message.text)}", message.text


def _first(stack):
    """Return message and place without numbers and addresses, so equal faults look alike."""
    lines = (stack or "").splitlines() or [""]
    place = next((re.search(r"viewers/(\S+?):(\d+):", line) for line in lines if "viewers/" in line), None)
    return re.sub(r"\d+", "0", lines[0][:120]) + (f" at {place[1]}:{place[2]}" if place else "")


def cases(seed):
    rng = random.Random(f"pages {seed}")
    while True:
        yield f"{rng.choice([*NAMES, *PAIRS])}:{rng.randrange(10**9)}:pages"


def kept():
    """Return earlier faults as cases."""
    return [
        line.split("#")[0].strip() for line in SEEDS.read_text().splitlines() if line.split("#")[0].strip()
    ]


def main(minutes, seed, names=None):
    """Run cases until the time is over, or these; return the number of kinds of faults."""
    from fuzz.__main__ import tell

    end, found, count = time.monotonic() + minutes * 60, {}, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        with Pages(browser) as pages:
            for name in names or cases(seed):
                for fault in pages.run(name):
                    if fault.kind not in found:
                        tell(fault)
                    found.setdefault(fault.kind, [0, fault])[0] += 1
                count += 1
                if not names and time.monotonic() > end:
                    break
        browser.close()
    print(f"\npages, seed {seed}: {count} bundles, {len(found)} kinds of faults")
    for kind, number in Counter({kind: number for kind, (number, _) in found.items()}).most_common():
        print(f"  {number:6} × {ascii(kind)[1:-1]}  {found[kind][1].case}")
    sys.stdout.flush()
    return len(found)
