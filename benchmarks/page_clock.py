"""Measure a page in Chromium: time until something is visible, bytes, longest task, JS heap."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "preprocessor"))
from tlparse_bundle.serve.http.server import listen

# As in tests/web/conftest.py.
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

# Resolves to performance.now() once `test` (an expression) holds and a frame with it is painted. Fails after
# a minute.
SEEN = """
window.seen = (test, from = 0) => new Promise((done, fail) => {
  const holds = new Function(`return ${test}`);
  const painted = () => requestAnimationFrame(() => {
    const c = new MessageChannel();
    c.port1.onmessage = () => done(performance.now() - from);
    c.port2.postMessage(0);
  });
  if (holds()) return painted();
  const late = setTimeout(() => {
    watch.disconnect(); fail(new Error(`not seen within a minute: ${test}`));
  }, 60_000);
  const watch = new MutationObserver(() => {
    if (holds()) { watch.disconnect(); clearTimeout(late); painted(); }
  });
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
});
"""
# Note the moment in the page itself, to exclude the round trip to this script.
NOTE = """
performance.setResourceTimingBufferSize(5000);
window.whole = new Promise((done) => addEventListener('load', () => requestAnimationFrame(() => {
  const c = new MessageChannel(); c.port1.onmessage = () => done(performance.now()); c.port2.postMessage(0);
})));
const resources = () => performance.getEntriesByType('resource');
if (%s) window.usable = seen(%s).then((ms) => ({ ms, bytes: transferred(), files: resources().length + 1 }));
window.transferred = () =>
  [...performance.getEntriesByType('navigation'), ...resources()].reduce((n, e) => n + e.transferSize, 0);
"""


def chromium() -> str | None:
    """Return the environment variable CHROMIUM, the first Chromium on the PATH, or ``None``."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)


@contextmanager
def visited(make_app: Callable) -> Iterator[tuple]:
    """Yield (browser, address) of a server that runs ``make_app()`` in its own process."""
    sock = listen(0)
    server = multiprocessing.get_context("fork").Process(target=_run, args=(make_app, sock), daemon=True)
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_OPTIONS)
            yield browser, f"http://127.0.0.1:{sock.getsockname()[1]}"
            browser.close()
    finally:
        server.terminate()
        server.join()


def _run(make_app: Callable, sock) -> None:
    import tlparse_bundle.cli  # noqa: F401 - collects garbage as seldom as the process of 'serve'
    from tlparse_bundle.serve.http.connections import limits_of_process, run_app

    run_app(make_app(), sock, limits_of_process())


def load(browser, url: str, test: str | None = None) -> dict:
    """Open ``url`` as a new visitor; return {first_ms, whole_ms, bytes}, with a ``test`` also usable_ms and
    its bytes.

    first_ms: something is painted (first-contentful-paint). whole_ms: the page is loaded and painted. Bytes
    are counted on the wire with headers, without requests of workers.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.add_init_script(SEEN + NOTE % (json.dumps(test is not None), json.dumps(test or "true")))
    page.goto(url)
    out = {"whole_ms": page.evaluate("whole")}
    if test is not None:
        found = page.evaluate("usable")
        out |= {"usable_ms": found["ms"], "usable_bytes": found["bytes"], "files": found["files"]}
    out["first_ms"] = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
    )
    out["bytes"] = page.evaluate("transferred()")
    context.close()
    return out


@contextmanager
def longest_task(browser, page):
    """Yield a dict that afterwards holds wall_ms and cpu_ms of the page's longest tasks.

    On a busy machine a task waits for the processor, so its CPU time is what counts.
    """
    task: dict[str, float] = {}
    browser.start_tracing(page=page, categories=["toplevel"])
    try:
        yield task
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
        mains = {
            (e["pid"], e["tid"])
            for e in events
            if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
        }
        tasks = [
            e
            for e in events
            if e["name"] == "ThreadControllerImpl::RunTask" and (e["pid"], e["tid"]) in mains and "dur" in e
        ]
        task["wall_ms"] = max((e["dur"] for e in tasks), default=0) / 1000
        task["cpu_ms"] = max((e.get("tdur", e["dur"]) for e in tasks), default=0) / 1000


def heap_mb(page) -> float:
    """Return the JS heap in use after a garbage collection, in 10^6 bytes."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    session.detach()
    return (used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6
