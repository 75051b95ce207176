"""Compare the viewers on a large trace with tlparse's report of the same trace.

    python benchmarks/viewer.py LOG [--work FOLDER] [--rounds 5] [--json FILE] [--scale 1]
                                [--no-budgets] [--most N]
                                [--only load,compare,events,artifacts,tables,provenance]

LOG is a large trace (see make_trace.py). Builds the bundle and tlparse's report in FOLDER if they
are missing. One server serves both, and a new visitor opens them in turn. Needs Chromium, playwright and
tlparse. Prints a table, and the same as JSON; exits with 1 when a budget is missed. Times are medians of
the rounds, except those to open an artifact, which are the best of them. A longest task is given in
processor time (elapsed time in brackets). On a busy machine everything takes longer; the first line
shows the load. With --most, N tables and N artifacts of each bundle are measured, not all.

  load        time until the overview and the trie can be used, and tlparse's page is painted; bytes
  compare     the same for what changed from a run that ended earlier (the first three quarters of LOG), made
              by the server when the page asks, and as a folder; the longest task until then
  events      the longest task while the table is scrolled from end to end, and while one types; heap
  artifacts   time to open the largest artifacts of the log, and made ones of 4.9 MB in each language;
              the longest task while the nodes of a large graph are listed
  tables      the longest task while the other tables, of 40,000 rows, are opened, sorted, filtered
  provenance  the same viewer's budgets for 50,000 lines of code
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from arguments import add_budgets, add_scale, measuring_parser
from made_logs import ARTIFACT_BYTES, ROWS, large_artifacts, many_rows
from page_clock import SEEN, heap_mb, load, longest_task, visited

PREPROCESSOR = Path(__file__).resolve().parent.parent / "preprocessor"
sys.path[:0] = [str(PREPROCESSOR), str(PREPROCESSOR.parent / "tests")]
from long_provenance import KERNELS, long_provenance
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.publish.comparison_folder import write_comparison
from tlparse_bundle.statements.runs.compare.document import compare

TASK_MS, OPEN_MS, HEAP_MB, FIRST_BYTES = 50, 300, 200, 300_000
OVERVIEW = (
    "document.querySelector('.overview .tiles') && document.querySelector('.overview .findings article')"
)
CHANGES = "document.querySelector('.changes .change')"
TRIE = "document.querySelector('[role=tree] [role=treeitem]')"
TABLES = ["compiles", "symbols", "tensors", "kernels", "guards", "anatomy", "anatomy&by=compile", "events"]


def prepare(log: Path, work: Path, scale: float) -> None:
    """Build the bundles and the report below ``work``.

    ``scale`` is a factor for the sizes of the logs that are generated here.
    """

    made = {
        "trace": None,
        "earlier": lambda: ended_earlier(log),
        "artifacts": lambda: large_artifacts(Bundle.open(work / "trace"), round(ARTIFACT_BYTES * scale)),
        "tables": lambda: many_rows(round(ROWS * scale)),
        "provenance": lambda: long_provenance(round(KERNELS * scale)),
    }
    for name, make in made.items():
        if not (work / name / "manifest.json").exists():
            print(f"building {name} …", file=sys.stderr)
            source = log
            if make is not None:
                source = work / f"dedicated_log_torch_trace_{name}.log"
                source.write_bytes(make())
            build(discover([source]), work / name)
    if not (work / "comparison" / "index.html").exists():
        base, new = (Bundle.open(work / name) for name in ("earlier", "trace"))
        write_comparison(compare([("earlier", base)], [("trace", new)]), base, new, work / "comparison")
    if not (work / "tlparse" / "index.html").exists():
        tlparse = shutil.which("tlparse", path=Path(sys.executable).parent) or shutil.which("tlparse")
        subprocess.run(
            [tlparse, log, "-o", work / "tlparse", "--overwrite", "--no-browser"],
            check=True,
            capture_output=True,
        )


def ended_earlier(log: Path) -> bytes:
    """Return the first three quarters of a log, up to the end of a record."""
    data = log.read_bytes()
    return data[: data.rfind(b"\nV", 0, len(data) * 3 // 4) + 1]


def application(work: Path, rounds: int):
    """Return an application that serves our bundles, with tlparse's report and the comparison folder beside
    them.
    """
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    bundles = {name: work / name for name in ("trace", "earlier", "artifacts", "tables", "provenance")}
    bundles |= {
        f"earlier-{number}": work / "earlier" for number in range(rounds)
    }  # the server compares only once
    folders = [
        Mount(f"/{name}", StaticFiles(directory=work / name, html=True)) for name in ("tlparse", "comparison")
    ]
    return Starlette(routes=[*folders, Mount("/", create_app(bundles))])


class Measuring:
    """A browser and the rows measured so far."""

    def __init__(self, browser, root: str, rounds: int, scale: float, most: int | None):
        self.browser, self.root, self.rounds = browser, root, rounds
        self.patience = min(1, max(0.1, scale))  # small inputs need shorter waits
        self.rows: list[dict] = []
        self.most = most  # tables, and artifacts of a bundle; None for all

    def address(self, bundle: str, hash: str = "", viewer: str = "default") -> str:
        return f"{self.root}/viewers/{viewer}/?bundle=/bundles/{bundle}/#v=1{hash}"

    def note(self, name: str, value: float, unit: str, budget: float | None = None, **more) -> None:
        """Add one line to the report. ``more`` goes in brackets, and into the JSON."""
        self.rows.append(
            {
                "name": name,
                "value": round(value, 1),
                "unit": unit,
                "budget": budget,
                **{k: round(v, 1) for k, v in more.items()},
            }
        )
        row = self.rows[-1]
        verdict = (
            "" if budget is None else f"{'ok' if value <= budget else 'MISSED':8}of {budget:,.0f} {unit}"
        )
        extra = ", ".join(
            f"{key} {value:,}" for key, value in row.items() if key not in ("name", "value", "unit", "budget")
        )
        print(
            f"{name:58}{row['value']:>12,} {unit:4} {verdict:24}{f'({extra})' if extra else ''}", flush=True
        )

    def wait(self, page, ms: float) -> None:
        """Wait until a page has finished work that takes ``ms`` for an input of full size."""
        page.wait_for_timeout(ms * self.patience)

    def page(self, address: str, ready: str):
        page = self.browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True).new_page()
        page.add_init_script(SEEN)
        page.set_default_timeout(60_000)
        page.goto(address)
        page.evaluate(f"seen({json.dumps(ready)})")
        return page

    def task(self, page, name: str, act, budget: float | None = TASK_MS) -> None:
        """Note the longest task of the page while ``act()`` runs."""
        found = []
        for _ in range(self.rounds):
            with longest_task(self.browser, page) as task:
                act()
                self.wait(page, 150)
            found.append(task)
        cpu = [task["cpu_ms"] for task in found]
        self.note(
            f"longest task: {name}",
            statistics.median(cpu),
            "ms",
            budget,
            most=max(cpu),
            passed=statistics.median(task["wall_ms"] for task in found),
        )


def measure_load(m: Measuring) -> None:
    first_screens(
        m, {"overview": (m.address("trace"), OVERVIEW), "trie": (m.address("trace", "&view=stack"), TRIE)}
    )


def measure_compare(m: Measuring) -> None:
    pages = {
        "comparison, made when it is asked for": (
            f"{m.root}/viewers/compare/?base=/bundles/earlier-ROUND/&new=/bundles/trace/"
        ),
        "comparison, asked for again": (
            f"{m.root}/viewers/compare/?base=/bundles/earlier/&new=/bundles/trace/"
        ),
        "comparison, a folder": f"{m.root}/comparison/viewers/compare/",
    }
    first_screens(m, {name: (address, CHANGES) for name, address in pages.items()})
    for name, address in pages.items():
        tasks = []
        for _ in range(m.rounds):
            page = m.browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True).new_page()
            page.add_init_script(SEEN)
            with longest_task(m.browser, page) as task:
                page.goto(address.replace("ROUND", "0"))
                page.evaluate(f"seen({json.dumps(CHANGES)})")
            tasks.append(task)
            page.context.close()
        m.note(
            f"longest task: {name}",
            statistics.median(task["cpu_ms"] for task in tasks),
            "ms",
            TASK_MS,
            passed=statistics.median(task["wall_ms"] for task in tasks),
        )


def first_screens(m: Measuring, pages: dict[str, tuple[str, str]]) -> None:
    """Measure pages by name in turn with tlparse's: each has an address (ROUND is the round's number) and
    what must be visible.
    """
    found: dict[str, list[dict]] = {"tlparse": [], **{name: [] for name in pages}}
    for number in range(m.rounds):
        found["tlparse"].append(load(m.browser, f"{m.root}/tlparse/"))
        for name, (address, test) in pages.items():
            found[name].append(load(m.browser, address.replace("ROUND", str(number)), test))
    middle = {
        name: {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        for name, rows in found.items()
    }
    painted = middle["tlparse"]["whole_ms"]
    m.note(
        "tlparse: index.html is loaded and painted",
        painted,
        "ms",
        bytes=middle["tlparse"]["bytes"],
        first_paint=middle["tlparse"]["first_ms"],
    )
    for name in pages:
        row = middle[name]
        m.note(
            f"{name}: can be used",
            row["usable_ms"],
            "ms",
            painted,
            first_paint=row["first_ms"],
            files=row["files"],
        )
        m.note(f"{name}: bytes until then", row["usable_bytes"], "B", FIRST_BYTES)


def measure_events(m: Measuring) -> None:
    page = m.page(m.address("trace", "&view=events"), "document.querySelectorAll('[role=row]').length > 10")
    scroll = """async () => {
      const grid = document.querySelector('[role=grid]'), end = grid.scrollHeight - grid.clientHeight;
      const frame = () => new Promise(requestAnimationFrame);
      for (let at = 0; at < end + 3000; at += 3000) { grid.scrollTop = at; await frame(); }
      grid.scrollTop = 0; await frame(); grid.scrollTop = end; await frame(); grid.scrollTop = 0; }"""
    m.task(page, "event table, scrolled from end to end", lambda: page.evaluate(scroll))
    m.task(
        page, "event table, typing in its filter", lambda: typed(m, page, "Filter records", "fx_graph_cache")
    )
    m.task(page, "event table, sorted by each column", lambda: sort_all(m, page))
    page.evaluate("location.hash = '#v=1&view=stack'")
    page.evaluate(f"seen({json.dumps(TRIE)})")
    m.task(page, "trie, typing in its filter", lambda: typed(m, page, "Filter stacks", "forward"))
    page.evaluate("location.hash = '#v=1&view=search&q='")
    m.task(page, "search everywhere, typing", lambda: typed(m, page, "Search", "triton_poi"))
    m.note("JS heap after all that", heap_mb(page), "MB", HEAP_MB)
    page.context.close()


def typed(m: Measuring, page, label: str, text: str) -> None:
    field = page.get_by_role("searchbox", name=label).first
    field.fill("")
    field.press_sequentially(text, delay=60)
    m.wait(page, 1200)
    field.fill("")
    m.wait(page, 300)


def sort_all(m: Measuring, page) -> None:
    for button in page.locator(".grid-header button").all():
        button.click()
        m.wait(page, 60)


def measure_artifacts(m: Measuring, work: Path) -> None:
    """Measure opening the largest artifact of each name in the log, and one of 4.9 MB per language."""
    for bundle in ("trace", "artifacts"):
        log = Bundle.open(work / bundle).logs[0]
        largest: dict[str, object] = {}
        for artifact in log.artifacts:
            if artifact.sha256 is not None and artifact.size_bytes > getattr(
                largest.get(artifact.name), "size_bytes", 0
            ):
                largest[artifact.name] = artifact
        chosen = sorted(largest.values(), key=lambda a: -a.size_bytes)[: 6 if bundle == "trace" else None]
        chosen = sorted(chosen, key=lambda a: a.language != "fx")[: m.most]  # a graph also has a table
        for artifact in chosen:
            times, tasks = [], []
            for _ in range(m.rounds):
                page = m.page(
                    m.address(bundle, f"&view=compile&compile={artifact.compile}"),
                    "document.querySelector('.rail a')",
                )
                m.wait(page, 300)
                shown = f"document.querySelector('[aria-label=\"Text of {artifact.name}\"] .code-line')"
                with longest_task(m.browser, page) as task:
                    times.append(page.evaluate(
                        """([name, test]) => {
                          const from = performance.now(), links = [...document.querySelectorAll('.rail a')];
                          links.find((a) => a.dataset.artifact === name).click();
                          return seen(test, from);
                        }""",
                        [artifact.name, shown],
                    ))  # fmt: skip
                    m.wait(page, 100)
                tasks.append(task["cpu_ms"])
                heap = heap_mb(page)
                page.context.close()
            m.note(
                f"opens {artifact.name}, {artifact.language}, {artifact.size_bytes / 1e6:.2f} MB",
                min(times),
                "ms",
                OPEN_MS,
                median=statistics.median(times),
                task=statistics.median(tasks),
                heap_mb=heap,
            )
            if bundle == "artifacts" and artifact.language == "fx":
                measure_graph(m, artifact, artifact.compile)


def measure_graph(m: Measuring, artifact, compile: str) -> None:
    """Measure typical actions in a large graph."""
    page = m.page(
        m.address("artifacts", f"&view=compile&compile={compile}&artifact={artifact.name}"),
        "document.querySelector('.code-line')",
    )

    def table():
        page.get_by_role("button", name="Table", exact=True).click()
        page.evaluate("seen(\"document.querySelectorAll('[role=grid] [role=row]').length > 2\")")
        page.get_by_role("button", name="Text", exact=True).click()

    m.task(page, f"the table of nodes of {artifact.name}", table)
    page.context.close()


def measure_tables(m: Measuring) -> None:
    page = m.page(m.address("tables"), OVERVIEW)
    for view in TABLES[-m.most :] if m.most else TABLES:
        budget = None if view == "events" else TASK_MS  # these tables are of 280,000 records

        def open_it(view=view):
            page.evaluate("location.hash = '#v=1&view=diagnostics'")
            m.wait(page, 100)
            page.evaluate("view => { location.hash = '#v=1&view=' + view }", view)
            page.evaluate("seen(\"document.querySelectorAll('[role=grid] [role=row]').length > 2\")")

        m.task(page, f"{view}, opened", open_it, budget)
        m.task(page, f"{view}, sorted by each column", lambda: sort_all(m, page), budget)
        m.task(page, f"{view}, typing in its filter", lambda: typed(m, page, "Filter", "s39"), budget)
        m.task(
            page,
            f"{view}, one row down and up",
            lambda: (
                page.locator("[role=grid] [role=row]").nth(1).click(),
                page.keyboard.press("ArrowDown"),
                page.keyboard.press("ArrowUp"),
            ),
            budget,
        )
    m.note("JS heap after the tables", heap_mb(page), "MB")
    page.context.close()


def measure_provenance(m: Measuring, kernels: int) -> None:
    code = "document.querySelector('.pane-code .code-line')"
    rows = [load(m.browser, m.address("provenance", viewer="provenance"), code) for _ in range(m.rounds)]
    m.note("provenance: can be used", statistics.median(row["usable_ms"] for row in rows), "ms")
    page = m.page(m.address("provenance", viewer="provenance"), code)
    pins = ((5 + 97 * number) % kernels for number in itertools.count())

    def pin():
        page.evaluate("k => { location.hash = `#v=1&pin=kernel:${k}` }", next(pins))
        page.evaluate("seen(\"document.querySelector('.pane-post .pinned')\")")

    scroll = """async () => {
      const pane = document.querySelector('.pane-code .virtual'), end = pane.scrollHeight - pane.clientHeight;
      for (let at = 0; at < end + 6000; at += 6000) {
        pane.dispatchEvent(new WheelEvent('wheel'));
        pane.scrollTop = at;
        await new Promise(requestAnimationFrame);
      }
      pane.scrollTop = 0; }"""
    m.task(page, "provenance, a pin far away", pin)
    m.task(page, "provenance, scrolled from end to end, panes together", lambda: page.evaluate(scroll))
    m.task(
        page,
        "provenance, typing in the search of all panes",
        lambda: typed(m, page, "Find in all panes", "k19"),
    )
    m.task(page, "provenance, kernels sorted by each column", lambda: sort_all(m, page))
    m.note("provenance: JS heap after all that", heap_mb(page), "MB", HEAP_MB)
    page.context.close()


def main() -> None:
    parser = measuring_parser(__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", default="load,compare,events,artifacts,tables,provenance")
    parser.add_argument("--most", type=int)
    add_budgets(parser)
    add_scale(parser)
    options = parser.parse_args()
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        prepare(options.log, work, options.scale)
        with visited(lambda: application(work, options.rounds)) as (browser, root):
            m = Measuring(browser, root, options.rounds, options.scale, options.most)
            only = options.only.split(",")
            load(
                browser, m.address("trace"), OVERVIEW
            )  # not counted: first requests of the server and the browser
            parts = {
                "load": measure_load,
                "compare": measure_compare,
                "events": measure_events,
                "artifacts": lambda m: measure_artifacts(m, work),
                "tables": measure_tables,
                "provenance": lambda m: measure_provenance(m, round(KERNELS * options.scale)),
            }
            for name, part in parts.items():
                if name in only:
                    part(m)
    if options.json:
        options.json.write_text(json.dumps(m.rows, indent=1) + "\n")
    sys.exit(
        not options.no_budgets
        and any(row["budget"] is not None and row["value"] > row["budget"] for row in m.rows)
    )


if __name__ == "__main__":
    main()
