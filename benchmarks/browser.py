"""Compare building raw logs in the browser with building them on this machine.

    python benchmarks/browser.py LOG [--small LOG] [--rounds 5] [--json FILE] [--no-budgets]

LOG is a large trace (see make_trace.py), --small one of about 1 MB (default: its beginning). A plain static
server serves a site. The page builds both logs, in turn with builds on one core of this machine. Needs
Chromium, playwright, and Python for browsers in viewers/vendor/python. Prints ratios of medians; exits with
1 when a budget is missed, or when a bundle differs.

  large   build time in the page against build time here; the memory of the page's process; its
          longest task
  small   time from the file to the overview, against the time to load Python alone, both with a warm cache
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arguments import add_budgets, measuring_parser
from page_clock import CHROMIUM_OPTIONS, chromium
from playwright.sync_api import sync_playwright
from tlparse_bundle.serve.publish.site import write_site

from preprocessor import measured, ours  # finds the package

BUILD_RATIO, SMALL_RATIO, HEAP_MB, TASK_MS = 3.0, 1.5, 400, 100
OVERVIEW = "document.querySelector('.overview .tiles') && document.querySelector('.overview .findings')"
READY = "document.querySelector('main')?.textContent.includes('Python is ready')"
WATCH = """
globalThis.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
}).observe({ type: 'longtask' });
"""
BUILD = """async () => {
  const { Python } = await import(`${location.origin}/viewers/lib/local/python.js`);
  const store = await import(`${location.origin}/viewers/lib/local/store.js`);
  const python = new Python();
  await python.ready;
  globalThis.build = async () => {
    const from = performance.now();
    longest = 0;
    const logs = [...document.getElementById('log').files].map((file) => ({ path: file.name, data: file }));
    const { id } = await python.build(logs, { name: 'log', onprogress: () => {} });
    const ms = performance.now() - from, task_ms = longest, files = {};
    for (const [path, data] of (await store.read(id)).all()) {
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await data.arrayBuffer()));
      files[path] = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    }
    await store.removeAll();
    return { ms, task_ms, files };
  };
  document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'log' }));
}"""


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--small", type=Path)
    add_budgets(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        small = options.small or _beginning(options.log, work)
        subprocess.run([*ours(small)(work / "small")], check=True, capture_output=True)
        write_site([work / "small"], work / "site")
        server = subprocess.Popen(
            [sys.executable, "-m", "http.server", "-d", work / "site", "-b", "127.0.0.1", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            address = server.stdout.readline().decode().split("(")[1].split("/)")[0] + "/viewers/open/"
            found = {
                **_large(options.log, address, work, options.rounds),
                **_small(small, address, work, options.rounds),
            }
        finally:
            server.kill()
    for name, (value, most) in found.items():
        print(f"{name}: {value:.2f} ({most} allowed)" + (" MISSED" if value > most else ""))
    if options.json:
        options.json.write_text(json.dumps({name: value for name, (value, _) in found.items()}, indent=2))
    sys.exit(not options.no_budgets and any(value > most for value, most in found.values()))


def _beginning(log: Path, work: Path) -> Path:
    small = work / "dedicated_log_torch_trace_small.log"
    with log.open("rb") as stream:
        data = stream.read(1_000_000)
    small.write_bytes(data[: data.rindex(b"\nV") + 1])
    return small


def _browser(playwright, profile: Path):
    return playwright.chromium.launch_persistent_context(
        profile, executable_path=chromium(), args=CHROMIUM_OPTIONS, bypass_csp=True
    )


def _large(log: Path, address: str, work: Path, rounds: int) -> dict[str, tuple[float, float]]:
    here_s, page_s, task_ms, memory_mb = [], [], [], 0.0
    with sync_playwright() as playwright:
        browser = _browser(playwright, work / "profile")
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        before_mb = _largest_mb(browser)
        page.evaluate(BUILD)
        page.set_input_files("#log", log)
        for number in range(rounds + 1):
            here = measured([*ours(log)(work / "here"), "--jobs", "1", "--overwrite"])[0]
            found = page.evaluate("build()")
            expected = {
                path.relative_to(work / "here").as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in (work / "here").rglob("*")
                if path.is_file()
            }
            if found["files"] != expected:
                sys.exit("the bundle that the page made differs")
            memory_mb = max(memory_mb, _largest_mb(browser) - before_mb)
            if number or not rounds:
                here_s.append(here)
                page_s.append(found["ms"] / 1000)
                task_ms.append(found["task_ms"])
        browser.close()
    return {
        "large: time in the page to time on one core": (
            statistics.median(page_s) / statistics.median(here_s),
            BUILD_RATIO,
        ),
        "large: MB that the page's process grew by": (memory_mb, HEAP_MB),
        "large: longest task of the page in ms": (max(task_ms), TASK_MS),
    }


def _largest_mb(browser) -> float:
    """Return the peak memory in MB of the browser's largest process (Linux)."""
    peaks = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text, command = status.read_text(), (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if b"--type=renderer" in command:
            peaks.append(
                int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) / 1000
            )
    return max(peaks, default=0.0)


def _small(log: Path, address: str, work: Path, rounds: int) -> dict[str, tuple[float, float]]:
    python_s, overview_s = [], []
    with sync_playwright() as playwright:
        browser = _browser(playwright, work / "profile-small")
        page = browser.new_page()
        for number in range(rounds + 1):
            page.goto("about:blank")
            from_s = time.perf_counter()
            page.goto(address)
            page.wait_for_function(READY)
            ready_s = time.perf_counter() - from_s
            page.goto("about:blank")
            page.goto(address)
            from_s = time.perf_counter()  # the file arrives at once, before Python has loaded
            page.locator("input[type=file]").first.set_input_files(log)
            page.wait_for_function(OVERVIEW)
            if number or not rounds:
                python_s.append(ready_s)
                overview_s.append(time.perf_counter() - from_s)
        browser.close()
    return {
        "small: from the file to the overview to loading Python alone": (
            statistics.median(overview_s) / statistics.median(python_s),
            SMALL_RATIO,
        )
    }


if __name__ == "__main__":
    main()
