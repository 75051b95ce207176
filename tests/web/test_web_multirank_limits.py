"""The multi-rank viewer with many ranks, hostile names, both themes, narrow windows, and missing data."""

import json
import re
import shutil
from urllib.parse import urlsplit

import pytest
from axe import violations_in_both_themes
from conftest import VIEWERS
from log_builder import record
from many_ranks import rank_log, write_ranks
from pages import becomes, go, settle
from playwright.sync_api import expect
from test_web_multirank import view  # noqa: F401
from test_web_safety import EVIL
from tlparse_bundle import build, discover
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.ranks.rank_finding import KINDS

VIEWS = ["verdict", "compare", "collectives", "execution", "timeline", "details"]


@pytest.fixture(scope="session")
def many(once):
    """The bundle of 300 ranks with 12 compiles; rank 170 has a different graph, rank 250 one compile less.

    (benchmarks/ measures 1,024.)
    """

    def make(folder):
        functions = [f"layer_{n}" for n in range(12)]
        logs = [
            rank_log(
                rank, functions[:-1] if rank == 250 else functions, odd="layer_5" if rank == 170 else None
            )
            for rank in range(300)
        ]
        (folder / "logs").mkdir()
        build(discover([write_ranks(folder / "logs", logs)]), folder / "bundle", jobs=1)

    return once("300 ranks", make) / "bundle"


@pytest.fixture(scope="module")
def hostile_ranks(tmp_path_factory):
    """Three ranks with hostile strings everywhere, which differ in everything."""

    def one(rank):
        frame = {"line": 1, "name": EVIL, "filename": 0, "loc": EVIL}
        metrics = {
            "co_name": EVIL,
            "co_filename": EVIL,
            "co_firstlineno": 1,
            "start_time_us": 1_700_000_000_000_000,
            "dynamo_cumulative_compile_time_us": 1_000_000 * (1 + 50 * rank),
        }
        schedule = [f"{EVIL}{n}" for n in range(2 + rank)]
        ops = [
            {
                "name": EVIL,
                "type": EVIL,
                "estimated_runtime_ns": 5 + rank,
                "outputs": [{"shape": [rank, EVIL], "stride": [1], "dtype": EVIL}],
            }
        ]
        out = [
            record("str " + json.dumps([EVIL, 0])),
            record(f"dynamo_start 0/0 @{rank} " + json.dumps({"stack": [frame]})),
            record(
                f"dynamo_output_graph 0/0 @{rank}",
                payload=f'def forward(self, L_x_: "f32[{rank}]"):\n # {EVIL}{rank}',
            ),
            record(
                f"artifact:dynamo_graph_break_reason 0/0 @{rank}",
                payload=f"Graph break in user code at {EVIL}:1\nGraph Break Reason: {EVIL}{rank}\n",
            ),
            record(
                f'artifact:inductor_collective_schedule 0/0 @{rank} {{"encoding": "json"}}',
                payload=json.dumps(schedule),
            ),
            record(
                f'artifact:inductor_runtime_and_tensor_meta 0/0 @{rank} {{"encoding": "json"}}',
                payload=json.dumps({"ops": ops}),
            ),
            record(
                f'artifact:graph_execution @{rank} {{"encoding": "json"}}',
                payload=json.dumps({"graph_execution_order": [{"compile_id": EVIL}] * (rank + 1)}),
            ),
            record(
                f"artifact:aotautograd_cache_{['hit', 'miss', 'bypass'][rank]} 0/0 @{rank}",
                payload=json.dumps({"cache_bypass_reason": EVIL, "key": EVIL, "cache_state": EVIL}),
            ),
            record(f"artifact:x 0/0 @{rank} " + json.dumps({"name": EVIL}), payload=f"{EVIL}{rank}"),
            record(
                f"compilation_metrics 0/0 @{rank} "
                + json.dumps({**metrics, **({"fail_type": EVIL, "fail_reason": EVIL} if rank == 2 else {})})
            ),
            record(
                f"dynamo_start 1/0 @{rank} " + json.dumps({"stack": [{**frame, "name": f"{EVIL}{rank}"}]})
            ),
        ]
        return b"".join(out)

    return write_ranks(tmp_path_factory.mktemp("hostile"), [one(rank) for rank in range(3)])


def test_hostile_strings_are_text(view, hostile_ranks):
    page = view(hostile_ranks)
    for name in VIEWS:
        go(page, f"#v=1&view={name}&column=0")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        if name != "timeline":  # a canvas there; its table below has the name
            expect(page.get_by_role("main")).to_contain_text("<img src=x onerror=")
        assert page.locator("img, script:not([src])").count() == 0, name
        assert "broken" not in page.title(), name


def test_every_string_of_the_analyses_can_be_hostile(view, bundle_of, tmp_path):
    shutil.copytree(bundle_of("ranks_missing_collective", "none"), tmp_path / "bundle")
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    for name, entry in manifest["rank_tables"].items():
        for path in (tmp_path / "bundle" / file["path"] for file in entry["files"]):
            path.write_text(
                "".join(
                    json.dumps(evil(json.loads(line), words_of(schema(name)))) + "\n"
                    for line in path.read_text().splitlines()
                )
            )
    manifest["job"] = evil(manifest["job"], words_of(schema("manifest")["properties"]["job"]))
    (tmp_path / "bundle" / "manifest.json").write_text(json.dumps(manifest))
    page = view(tmp_path / "bundle")
    for name in VIEWS:
        go(page, f"#v=1&view={name}&column=2&left=0&right=2")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.locator("img, script:not([src])").count() == 0, name
        assert page.locator("a[href^='javascript']").count() == 0, name
        assert "broken" not in page.title(), name


def words_of(node):
    """Return the values that a schema lists, which are ours."""
    if isinstance(node, dict):
        return set(map(str, node.get("enum", []))).union(*map(words_of, node.values()))
    return set().union(*map(words_of, node)) if isinstance(node, list) else set()


def evil(value, own, key=None):
    """Put EVIL before every string, except ours and references."""
    if isinstance(value, dict):
        return {name: evil(item, own, name) for name, item in value.items()}
    if isinstance(value, list):
        return [evil(item, own, key) for item in value]
    refers = key in ("log", "compiles", "compile", "others_compile", "fingerprint")
    return EVIL + value if isinstance(value, str) and not refers and value not in own else value


def test_hostile_address(view):
    page = view("ranks_healthy", f"#v=1&view=compare&column={EVIL}&left={EVIL}&right=999&artifact={EVIL}")
    expect(page.get_by_role("main")).to_contain_text("did not compile this")
    assert page.locator("img, script:not([src])").count() == 0


def test_axe_finds_nothing(page_that, bundle_of, address_of, hostile_ranks):
    page = page_that(bypass_csp=True)
    found = []
    for source, views in {
        "ranks_extra_break": ["verdict", "compare"],
        "ranks_missing_collective": VIEWS,
        "ranks_healthy": ["verdict", "execution"],
        hostile_ranks: ["compare", "collectives", "details"],
        "killed": ["verdict"],
    }.items():
        page.goto(address_of(bundle_of(source)).replace("/default/", "/multirank/"))
        for name in views:
            go(page, f"#v=1&view={name}")
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
            found += [f"{source} {name} {violation}" for violation in violations_in_both_themes(page)]
    assert not found, "\n".join(found)


def test_many_ranks(view, many):
    page = view(many)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ranks 0–169, 171–249 and 251–299 agree")
    verdict = page.get_by_role("region", name="Summary")
    expect(verdict).to_contain_text("On rank 170, Dynamo captured a different graph for layer_5 [5/0]")
    expect(verdict).to_contain_text("Rank 250")
    becomes(lambda: page.get_by_role("rowheader").all_inner_texts()[0].split(" · ")[1].strip(), "298")
    expect(page.get_by_role("rowheader")).to_have_count(3)
    page.get_by_role("rowheader").first.click()
    grid = page.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", str(1 + 3 + 298))
    assert page.get_by_role("gridcell").count() < 2_500, "only what is in sight is in the page"
    page.keyboard.press("End")
    for _ in range(3):
        page.keyboard.press("PageDown")
    grid.evaluate("grid => { grid.scrollTop = grid.scrollHeight }")
    expect(page.get_by_role("rowheader", name="rank 250")).to_be_visible()


def test_the_first_screen_fetches_little(new_page, many, address_of):
    page = new_page()
    asked = []
    # A page also requests the headers of the manifest now and then, to see whether it was rebuilt.
    page.on(
        "response",
        lambda response: (
            urlsplit(response.url).path.startswith("/bundles/")
            and response.request.method == "GET"
            and asked.append(response)
        ),
    )
    here = address_of(many)
    page.goto(here.replace("/default/", "/multirank/"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ranks 0–169, 171–249 and 251–299 agree")
    expect(page.get_by_role("gridcell").first).to_be_visible()
    assert {response.url.split(here.partition("?bundle=")[2])[1].split(".json")[0] for response in asked} == {
        "manifest",
        *(
            f"ranks/{name}"
            for name in (
                "ranks",
                "rank_compiles",
                "rank_compile_keys",
                "rank_graphs",
                "rank_findings",
                "rank_roles",
            )
        ),
    }
    assert sum(int(response.headers.get("content-length", 0)) for response in asked) < 1_000_000


def test_many_compiles_scroll_sideways(view, tmp_path):
    functions = [f"layer_{n}" for n in range(200)]
    page = view(
        write_ranks(
            tmp_path, [rank_log(rank, functions, odd="layer_190" if rank == 1 else None) for rank in range(3)]
        )
    )
    cells = page.get_by_role("gridcell")
    assert cells.count() < 2 * 90
    expect(page.locator(".matrix-cell.marked")).to_be_in_viewport()
    grid = page.get_by_role("grid")
    grid.evaluate("grid => { grid.scrollLeft = 0 }")
    expect(page.locator(".matrix-cell.marked")).to_have_count(0)
    page.locator("body").press("n")
    expect(page.locator(".matrix-cell.marked.here")).to_be_in_viewport()
    grid = page.get_by_role("grid")
    expect(grid).to_have_attribute("aria-colcount", "201")
    grid.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(page.get_by_role("columnheader", name="layer_199")).to_be_in_viewport()
    expect(page.locator(".matrix-cell.marked")).to_be_in_viewport()
    expect(page.get_by_role("rowheader").first).to_be_in_viewport()
    for left in (6000, 3900, 4000, 3700, 0, 300):  # cells come and go at both ends
        grid.evaluate(
            "(grid, left) => new Promise((done) => { grid.scrollLeft = left; requestAnimationFrame(() =>"
            " requestAnimationFrame(done)); })",
            left,
        )
        rows = grid.evaluate(
            "grid => [...grid.querySelectorAll('[role=row]')].map((row) =>"
            " [...row.querySelectorAll('[aria-colindex]')].map((cell) => Number(cell.ariaColIndex)))"
        )
        assert all(row == rows[0] for row in rows)
        assert rows[0][1:] == list(range(rows[0][1], rows[0][-1] + 1)), "in order, without a hole"
        lefts = [
            page.locator(f"[role={role}][aria-colindex='{rows[0][20]}']").first.bounding_box()["x"]
            for role in ("columnheader", "gridcell")
        ]
        assert lefts[0] == lefts[1]
    grid.evaluate("grid => { grid.scrollLeft = grid.scrollWidth }")
    page.locator(".matrix-cell.marked").click()
    expect(page.get_by_role("combobox", name="Compile", exact=True)).to_have_value(re.compile("layer_190"))


def test_narrow_windows(page_that, bundle_of, address_of):
    page = page_that(viewport={"width": 480, "height": 700})
    page.goto(address_of(bundle_of("ranks_missing_collective")).replace("/default/", "/multirank/"))
    settle(page)
    for name in VIEWS:
        go(page, f"#v=1&view={name}")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_every_module_of_the_first_screen_is_requested_at_once():
    page = (VIEWERS / "multirank" / "index.html").read_text()
    assert page.count("modulepreload") > 10
    for later in ("compare.js", "timeline.js", "collectives.js", "diff/pane.js"):
        assert later not in page


def test_timelines_of_many_ranks(view, many):
    page = view(many, "#v=1&view=timeline&rank=250")
    expect(page.locator(".lane-names .here")).to_have_text("rank 250")
    chart = page.get_by_role("application")
    chart.press("n")
    expect(page.get_by_role("region", name="Selected compile").get_by_role("heading")).to_contain_text(
        "layer_0 [0/0]"
    )


def test_no_times(view, tmp_path):
    logs = [record(f"dynamo_output_graph 0/0 @{rank}", payload="graph") for rank in range(2)]
    page = view(write_ranks(tmp_path, logs), "#v=1&view=timeline")
    expect(page.get_by_role("main")).to_contain_text("Compile times not recorded")


def test_every_kind_about_a_compile_has_a_mark(view):
    page = view("ranks_healthy")
    marks = page.evaluate(
        "async () => (await import(new URL('matrix-data.js', location.href.split('?')[0]))).MARKS"
    )
    about_logs = {
        "missing-rank",
        "empty-log",
        "cut-log",
        "equal-logs",
        "mixed-versions",
        "settings",
        "rank-differs",
        "cached-before",
        "late-start",
        "other-run",
        "no-rank",
        "stages",
        "rank-numbers",
    }
    assert set(marks) == set(KINDS) - about_logs
    assert all(sign and words for sign, words in marks.values())


def test_a_kind_of_another_package_is_shown(view, bundle_of, tmp_path):
    """All nullable fields are null, and the kind is unknown."""
    shutil.copytree(bundle_of("ranks_healthy", "none"), tmp_path / "bundle")
    place = tmp_path / "bundle" / "manifest.json"
    manifest = json.loads(place.read_text())
    nothing = dict.fromkeys(
        [
            "function",
            "file",
            "line",
            "log",
            "cost_us",
            "cost_of",
            "because_of",
            "rank_compile",
            "compile",
            "others_compile",
        ]
    )
    row = {"id": 0, "kind": "engine-stall", "fingerprint": "0" * 16, "severity": "warning", "title": "Rank 1 stalled in `engine`", "text": "First.\n\nSecond `part`.", "ranks": [[1, 1]], "others": [], "count": 1,
           "remedies": [], "evidence": "engine_ranks", "details": {}, **nothing}  # fmt: skip
    (tmp_path / "bundle" / "ranks" / "rank_findings.jsonl").write_text(
        json.dumps(row) + "\n" + json.dumps({**row, "id": 1, "title": "It follows", "because_of": 0}) + "\n"
    )
    manifest["rank_tables"]["rank_findings"] = {
        "rows": 2,
        "files": [{"path": "ranks/rank_findings.jsonl", "rows": 2}],
    }
    place.write_text(json.dumps(manifest))
    page = view(tmp_path / "bundle")
    cards = page.get_by_role("region", name="Summary").get_by_role("article")
    expect(cards).to_have_count(2)
    expect(cards.first.get_by_role("heading")).to_contain_text("Rank 1 stalled in engine")
    expect(cards.first.locator("p.finding-text")).to_have_text(["First.", "Second part."])
    expect(cards.first.locator("code")).to_have_text(["engine", "part"])
    expect(page.get_by_role("list", name="Consequences").get_by_role("article")).to_have_count(1)
    assert not re.search(r"undefined|null|NaN|\[object", page.get_by_role("main").inner_text())
