"""One number of each: what the pages show of a log is what its summary in the manifest says, on all fixtures
and public logs.
"""

import re

import pytest
import traces
from pages import becomes, go, settle
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
    """What is written in each element, on one line."""
    return [" ".join(text.split()) for text in locator.all_inner_texts()]


def plain(text):
    """A sentence as pages show it: on one line, without the marks of code."""
    return " ".join(text.replace("`", "").split())


def times(page, *us):
    """Times as pages write them."""
    return [" ".join(text.split()) for text in page.evaluate(FORMAT, us)]


def badges(log):
    """The counts beside the names of the views, by name: what the manifest and the kinds of records say.

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
        "Compiles": summary["compile_count"], "Failures": summary["failure_count"], "Breaks": summary["graph_break_count"], "Recompiles": summary["recompile_count"],
        "Diagnostics": wrong, "Ranks": job.get("error", 0) + job.get("warning", 0), **kinds,
    }  # fmt: skip
    return {name: f"{n:,}" for name, n in counts.items() if n}


def tiles(summary, took):
    """What each tile of the first screen says, as the beginning and the further words in it."""
    frames, functions, ahead, exports, failed, still = (
        summary[f"{name}_count"]
        for name in ("frame", "function", "ahead_of_time", "export", "failure", "unfinished")
    )
    made = (
        [plural(frames, "compile") + (f" of {plural(functions, 'function')}" if functions else "")]
        if frames
        else []
    )
    made += ([plural(ahead, "ahead-of-time compile")] if ahead else []) + (
        [plural(exports, "export")] if exports else []
    )
    yield f"{took} compiling", ", ".join(made) or ("no compile ended" if still else "no compiles")
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


def check_default(page, log):
    """The first screen, the badges and the head of the list of compiles."""
    summary = log.summary
    views = page.get_by_role("navigation", name="Views").get_by_role("link")
    (took,) = times(page, summary["compile_us"])
    assert plain(summary["text"]) in texts_of(page.locator("header.headline"))[-1]
    shown = texts_of(page.get_by_role("list", name="At a glance").get_by_role("listitem"))
    wanted = list(tiles(summary, took))
    assert len(shown) == len(wanted)
    for text, (begin, more) in zip(shown, wanted):
        assert text.startswith(begin) and more in text, (log.id, text, begin, more)
    becomes(
        lambda: dict(
            re.findall(r"^([A-Z][a-z ]*)([\d,]+)$", "\n".join(views.all_text_contents()), re.MULTILINE)
        ),
        badges(log),
    )
    region = page.locator("section.slowest")
    if region.count():
        statuses = {
            re.sub(r"^\W+", "", text).rpartition(" ")[0].strip(): text.rpartition(" ")[2]
            for text in texts_of(region.get_by_role("link").filter(has=page.locator(".status")))
        }
        assert {status: n for status, n in statuses.items() if n.replace(",", "").isdigit()} == {
            status: f"{n:,}" for status, n in summary["statuses"].items()
        }, log.id
        if region.get_by_role("table").count():
            expect(region.get_by_role("columnheader", name=f"Of {took}, ")).to_have_count(1)


def check_list_of_logs(page, bundle):
    rows = page.get_by_role("region", name="Logs").get_by_role("row").all()[1:]
    for row, log in zip(rows, bundle.logs, strict=True):
        cells = texts_of(row.get_by_role("cell"))
        assert cells[2:4] == [known(log.summary["compile_count"]), *times(page, log.summary["compile_us"])]
        assert cells[1] == plain(log.summary["text"])


def check_small_viewers(page, address, bundle):
    """The letter, the strip and the starter."""
    first = f"{plural(bundle.logs[0].summary['compile_count'], 'compile')} of {bundle.logs[0].source}"
    page.goto(address.replace("/default/", "/starter/"))
    expect(page.get_by_role("heading", level=1)).to_have_text(first)
    expect(page.get_by_role("navigation", name="Compiles").get_by_role("listitem")).to_have_count(
        bundle.logs[0].summary["compile_count"]
    )
    page.goto(address.replace("/default/", "/strip/"))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(
            f"^{plural(sum(log.summary['compile_count'] for log in bundle.logs), 'compile')}(, .* from the"
            " first to the last)?$"
        )
    )
    page.goto(address.replace("/default/", "/letter/"))
    expect(page.get_by_role("heading", name="What torch.compile did")).to_be_visible()
    (letter,) = texts_of(page.get_by_role("main"))
    for log in bundle.logs[:20]:
        assert plain(log.summary["text"]) in letter


@pytest.fixture(scope="session")
def bundle_at(built, unpacked):
    """bundle_at(folder | version): the folder of a bundle of all logs in it, or of those of the version in
    the archive.
    """
    return lambda source: built(unpacked(source) if isinstance(source, str) else source).folder


@pytest.mark.parametrize("source", traces.EVERYTHING)
def test_pages_show_what_the_manifest_says(page, bundle_at, address_of, source):
    place = bundle_at(source)
    bundle, address = Bundle.open(place), address_of(place)
    page.goto(address)
    settle(page)
    if len(bundle.logs) > 1:
        check_list_of_logs(page, bundle)
    for log in bundle.logs:
        go(page, f"#v=1&view=overview&log={log.id}")
        check_default(page, log)
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
    shown = {row["Bundle"]: row for row in (dict(zip(titles, row)) for row in rows)}
    for name, bundle in bundles.items():
        counts = [log.summary["compile_count"] for log in bundle.logs]
        took = [log.summary["compile_us"] for log in bundle.logs if log.summary["compile_us"] is not None]
        row = shown[name]
        assert (row["Compile time"], row["Compiles"]) == (
            *times(page, sum(took) if took else None),
            f"{sum(counts):,}",
        ), name
        if len(bundle.logs) == 1:
            assert plain(bundle.logs[0].summary["text"]) in row["What it says"], name
