"""Pages show the same numbers of a log as its summary in the manifest, on all fixtures and public logs."""

import json
import re

import every_log
import pytest
import traces
from pages import WAIT_MS, becomes, settle
from playwright.sync_api import expect
from tlparse_bundle import Bundle

FORMAT = (
    "async values => { const { time } = await import('/viewers/lib/page/format.js'); return"
    " values.map(time); }"
)


def plural(n, one, many=None):
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def known(n):
    return "–" if n is None else f"{n:,}"


def texts_of(locator):
    """Return the text of each element on one line."""
    return [" ".join(text.split()) for text in locator.all_inner_texts()]


def plain(text):
    """Return a sentence as pages show it: on one line, without the marks of code."""
    return " ".join(text.replace("`", "").split())


def times(page, *us):
    """Format times as pages do."""
    return [" ".join(text.split()) for text in page.evaluate(FORMAT, us)]


def badges(log):
    """Return the counts beside the names of the views, from the manifest and the kinds of records.

    None and 0 are not shown.
    """
    summary, codes = log.summary, log.bundle.manifest["diagnostic_codes"]
    kinds = {
        name: sum(kind["event_count"] for kind in log.directory["kinds"] if kind["type"] in types)
        for name, types in (
            ("Symbols", ("create_symbol", "create_unbacked_symbol")),
            ("Tensors", ("describe_tensor",)),
        )
    }
    wrong = sum(n for code, n in log.row["diagnostics"].items() if codes[code]["severity"] != "info") + sum(
        map(len, log.bundle.manifest.get("diagnostics", {}).values())
    )
    job = (log.bundle.manifest.get("job") or {}).get("findings", {})
    counts = {
        "Compiles": summary["compile_count"], "Failures": summary["failure_count"], "Graph breaks": summary["graph_break_count"], "Recompiles": summary["recompile_count"],
        "Diagnostics": wrong, "Ranks": job.get("error", 0) + job.get("warning", 0), **kinds,
    }  # fmt: skip
    return {name: f"{n:,}" for name, n in counts.items() if n}


def tiles(summary, took):
    """Return the text of each tile of the first screen: its beginning and further words."""
    frames, functions, ahead, inductor, exports, failed, still = (
        summary[f"{name}_count"]
        for name in (
            "frame", "function", "ahead_of_time", "aot_inductor", "export", "failure", "unfinished"
        )
    )  # fmt: skip
    made = [plural(functions, "function")] if functions else []
    made += [plural(frames, "compile")] if frames else []
    made += [plural(inductor, "AOTInductor compile")] if inductor else []
    made += [plural(ahead - inductor, "ahead-of-time compile")] if ahead > inductor else []
    least = "at least " if "exports" in summary["not_recorded"] else ""
    made += [f"{least}{plural(exports, 'export')}"] if exports else []
    yield f"{took} compile time", ", ".join(made) or ("no compile has ended" if still else "no compiles")
    yield (
        (f"{still:,} unfinished", "")
        if not failed and still
        else (
            f"{known(failed)} failure{'' if failed == 1 else 's'}",
            f"{still:,} unfinished" if still else "",
        )
    )
    again, causes = summary["recompile_count"], summary["recompile_cause_count"]
    yield f"{known(again)} recompile{'' if again == 1 else 's'}", plural(causes, "cause") if again else ""
    breaks, places = summary["graph_break_count"], summary["graph_break_place_count"]
    yield (
        f"{known(breaks)} graph break{'' if breaks == 1 else 's'}",
        f"at {plural(places, 'place')}" if breaks else "",
    )
    hits, misses, bypasses = (
        sum(counts[outcome] for counts in summary["cache_counts"].values())
        for outcome in ("hit", "miss", "bypass")
    )
    bypassed = plural(bypasses, "bypass", "bypasses") if bypasses else ""
    if hits + misses:
        yield (
            f"{int(100 * hits / (hits + misses) + 0.5)} % cache hits",
            ", ".join(filter(None, (plural(misses, "miss", "misses"), plural(hits, "hit"), bypassed))),
        )
    else:
        yield "– cache hits", bypassed


# Contents of the first screen of a log: texts, and times as pages format them.
FIRST_SCREEN = """async ({ hash, us, waitMs }) => {
  location.hash = hash;
  await quiet(waitMs);
  const { time } = await import("/viewers/lib/page/format.js");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const text = (element) => element.innerText.split(/\\s+/).filter(Boolean).join(" ");
  const slowest = document.querySelector("section.slowest");
  return {
    title: document.title,
    headline: all("header.headline").map(text).at(-1),
    tiles: all("[aria-label='At a glance'] > li").map(text),
    views: all("nav[aria-label=Views] a").map((link) => link.textContent).join("\\n"),
    statuses: slowest && all("a:has(.status)", slowest).map(text),
    columns: slowest && all("th", slowest).map(text),
    times: us.map((one) => time(one).split(/\\s+/).join(" ")),
  };
}"""


def faults_of_first_screen(page, log):
    """Return (what, shown, wanted) where the first screen, the badges or the list of compiles differ from the
    summary.
    """
    summary = log.summary
    arguments = {
        "hash": f"#v=1&view=overview&log={log.id}",
        "us": [summary["compile_us"]],
        "waitMs": WAIT_MS,
    }
    shown = page.evaluate(FIRST_SCREEN, arguments)
    (took,) = shown["times"]
    wanted = list(tiles(summary, took))
    badges_shown = dict(re.findall(r"^([A-Z][a-z ]*)([\d,]+)$", shown["views"], re.MULTILINE))
    checks = [
        ("log", len(log.bundle.logs) == 1 or log.id in shown["title"], True),
        ("headline", plain(summary["text"]) in (shown["headline"] or ""), True),
        ("number of tiles", len(shown["tiles"]), len(wanted)),
        ("badges", badges_shown, badges(log)),
    ]
    checks += [
        ("tile", text, (begin, more))
        for text, (begin, more) in zip(shown["tiles"], wanted, strict=False)
        if not (text.startswith(begin) and more in text)
    ]
    if shown["statuses"] is not None:
        statuses = {
            re.sub(r"^\W+", "", text).rpartition(" ")[0].strip(): text.rpartition(" ")[2]
            for text in shown["statuses"]
        }
        numbers = {status: n for status, n in statuses.items() if n.replace(",", "").isdigit()}
        checks.append(("statuses", numbers, {status: f"{n:,}" for status, n in summary["statuses"].items()}))
        if shown["columns"]:
            checks.append(("columns", sum(f"Share of {took}" in title for title in shown["columns"]), 1))
    return [check for check in checks if check[1] != check[2]]


def check_first_screen(page, log):
    """Wait until the first screen shows the numbers of the summary; fail with the differences otherwise."""
    becomes(lambda: (log.id, faults_of_first_screen(page, log)), (log.id, []))


def check_list_of_logs(page, bundle):
    rows = page.locator("[role=region][aria-label=Logs] tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText.split(/\\s+/).join(' ')))"
    )
    took = times(page, *(log.summary["compile_us"] for log in bundle.logs))
    titles = page.locator("[role=region][aria-label=Logs] thead th").all_inner_texts()
    places = [titles.index(title) for title in ("Summary", "Compiles", "Compile time")]
    for cells, log, us in zip(rows, bundle.logs, took, strict=True):
        shown = (plain(log.summary["text"]), known(log.summary["compile_count"]), us)
        assert (log.id, *(cells[place] for place in places)) == (log.id, *shown)


def check_small_viewers(page, address, bundle):
    """Check the letter, the strip and the starter."""
    page.goto(address.replace("/default/", "/starter/"))
    heading = page.get_by_role("heading", level=1)
    for log in bundle.logs:
        page.evaluate("hash => { location.hash = hash }", f"#log={log.id}")
        compiles = log.summary["compile_count"]
        expect(heading).to_have_text(f"{plural(compiles, 'compile')} of {log.source}")
        expect(page.locator("nav[aria-label=Compiles] li")).to_have_count(compiles)
    page.goto(address.replace("/default/", "/strip/"))
    expect(heading).to_have_text(
        re.compile(
            f"^{plural(sum(log.summary['compile_count'] for log in bundle.logs), 'compile')}(, .* from the"
            " first to the last)?$"
        )
    )
    page.goto(address.replace("/default/", "/letter/"))
    expect(page.get_by_role("heading", name="What torch.compile did")).to_be_visible()
    (letter,) = texts_of(page.get_by_role("main"))
    for log in bundle.logs[:20]:
        assert plain(log.summary["text"]) in letter, log.id


def check_pages(page, address, bundle, logs):
    """Check the first screens of some logs of a bundle, and the list of all."""
    page.goto(address)
    settle(page)
    if len(bundle.logs) > 1:
        check_list_of_logs(page, bundle)
    for log in with_other_numbers(logs):
        check_first_screen(page, log)


def with_other_numbers(logs):
    """Return the logs without those that have the counts of an earlier one, as most ranks of a job have."""
    first = {}
    for log in logs:
        counts = {name: value for name, value in log.summary.items() if not name.endswith(("_us", "text"))}
        first.setdefault(json.dumps([counts, badges(log)], sort_keys=True), log)
    return list(first.values())


@pytest.mark.parametrize("group", every_log.NUMBERS)
def test_pages_agree_with_the_manifest(page, group_bundle, built, unpacked, address_of, group):
    """Logs of several ranks are opened in the bundle of their source, in which the ranks are compared."""
    place = group_bundle(group)
    bundle, address = Bundle.open(place), address_of(place)
    alone = []
    sources = every_log.GROUPS[group]
    for source in sources:
        logs = every_log.of_source(bundle.logs, source)
        if len(sources) == 1 or len({log.rank for log in logs}) == 1:
            alone += logs
        else:
            own = built(unpacked(source) if isinstance(source, str) else source)
            check_pages(page, address_of(own.folder), own, own.logs)
    if alone:
        check_pages(page, address, bundle, alone)
    check_small_viewers(page, address, bundle)


def test_the_list_of_bundles_shows_the_same(page, served, built):
    folders = {
        f"{path.parent.name}-{path.name}": path
        for path in traces.EVERY_FOLDER
        if path.is_relative_to(traces.ROOT / "fixtures") and path.name in ("trace", "cold", "warm")
    }
    bundles = {name: built(path) for name, path in folders.items()}
    assert len(bundles) > 30
    page.goto(f"{served({name: bundle.folder for name, bundle in bundles.items()})}/viewers/home/")
    expect(page.get_by_role("rowheader")).to_have_count(len(bundles))
    titles, *rows = (texts_of(row.locator("th, td")) for row in page.get_by_role("row").all())
    shown = {row["Bundle"]: row for row in (dict(zip(titles, row, strict=True)) for row in rows)}
    for name, bundle in bundles.items():
        counts = [log.summary["compile_count"] for log in bundle.logs]
        took = [log.summary["compile_us"] for log in bundle.logs if log.summary["compile_us"] is not None]
        row = shown[name]
        assert (row["Compile time"], row["Compiles"]) == (
            *times(page, sum(took) if took else None),
            f"{sum(counts):,}",
        ), name
        if len(bundle.logs) == 1:
            assert plain(bundle.logs[0].summary["text"]) in row["Findings"], name
