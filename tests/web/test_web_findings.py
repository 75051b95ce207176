"""The views of failures, graph breaks, recompiles, guards and caches: list, detail, filter, keyboard,
address.
"""

import json

import pytest
from log_builder import record
from pages import expect_address
from playwright.sync_api import expect
from tlparse_bundle import Bundle


def detail(page, label):
    return page.get_by_role("region", name=f"{label}: details")


def rows(page, label):
    return page.get_by_role("grid", name=label, exact=True).get_by_role("row")


def test_breaks_walk_with_the_keys_and_have_addresses(show):
    page, bundle = show("graph_breaks", "#v=1&view=breaks")
    table = bundle.logs[0].table("graph_breaks")
    expect(rows(page, "Graph breaks")).to_have_count(1 + len(table))
    expect(detail(page, "Graph breaks")).to_contain_text(table[0]["source_line"])
    rows(page, "Graph breaks").nth(1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    third = table[2]
    for text in (
        third["source_line"],
        third["explanation"].replace("`", ""),
        third["gb_id"],
        f"program.py:{third['line']} in {third['function']}",
    ):
        expect(detail(page, "Graph breaks")).to_contain_text(text)
    expect_address(page, "item=2")
    page.keyboard.press("Enter")  # to the first link of the detail
    expect(detail(page, "Graph breaks").get_by_role("link").first).to_be_focused()
    page.reload()
    expect(detail(page, "Graph breaks")).to_contain_text(third["source_line"])
    expect(detail(page, "Graph breaks").get_by_role("link", name=third["link"])).to_have_attribute(
        "rel", "noopener noreferrer"
    )


def test_filter_of_the_breaks(show):
    page, _ = show("graph_breaks", "#v=1&view=breaks")
    expect(rows(page, "Graph breaks")).to_have_count(6)
    page.keyboard.press("f")
    page.keyboard.type("item()")
    expect(page.get_by_text("1 of 5 graph breaks")).to_be_visible()
    expect(rows(page, "Graph breaks")).to_have_count(2)
    expect(detail(page, "Graph breaks")).to_contain_text("capture_scalar_outputs")


def test_the_detail_of_a_filtered_row_is_hidden(show):
    page, _ = show("graph_breaks", "#v=1&view=breaks")
    listed = rows(page, "Graph breaks")
    listed.filter(has_text="x.max().item()").click()
    expect(detail(page, "Graph breaks")).to_contain_text("Tensor.item()")
    field = page.get_by_label("Filter graph breaks")
    field.fill("in the middle")
    expect(listed).to_have_count(2)
    expect(detail(page, "Graph breaks")).to_contain_text("in the middle")
    expect(detail(page, "Graph breaks")).not_to_contain_text("Tensor.item()")
    field.fill("no such break")
    expect(detail(page, "Graph breaks")).to_have_text("No graph breaks match the filter.")
    field.fill("")
    expect(detail(page, "Graph breaks")).to_contain_text("Tensor.item()")
    expect(listed.filter(has_text="x.max().item()")).to_have_attribute("aria-selected", "true")


def test_history_of_a_function_with_its_limit(show):
    page, bundle = show("recompiles", "#v=1&view=recompiles")
    log = bundle.logs[0]
    repeated = [row for row in bundle.logs[0].findings() if row["kind"] in ("recompile", "recompile-limit")]
    assert len(repeated) == len(log.table("recompile_causes")) + 1
    expect(rows(page, "Causes of recompiles")).to_have_count(1 + len(repeated))
    page.get_by_role("button", name="By function").click()
    rows(page, "Recompiled functions").filter(has_text="limited").click()
    right = detail(page, "Recompiled functions")
    expect(right.get_by_role("article").filter(has_text="limited hit the recompile limit (4)")).to_have_count(
        1
    )
    (limited,) = (code for code in log.table("code_objects") if code["function"] == "limited")
    expect(right.get_by_role("link", name="compare with the previous compile")).to_have_count(
        len(limited["compiles"]) - 1
    )
    expect(right.get_by_role("link", name="compare with the previous compile").last).to_have_attribute(
        "href", f"#v=1&view=compare&left={bundle.logs[0].id}/3/3&right={bundle.logs[0].id}/3/4"
    )
    grid = right.get_by_role("grid", name="Guard that decided, per call and cache entry")
    refused = grid.get_by_role("row").filter(has=page.get_by_role("rowheader", name="[3/4]"))
    expect(refused.get_by_role("gridcell")).to_have_text([f"x.size(0){size} → 6" for size in (2, 3, 4, 5)])
    page.go_back()
    expect(page.get_by_role("button", name="By cause")).to_have_attribute("aria-pressed", "true")


def test_followers_are_folded_under_what_they_follow(show, bundle_of, tmp_path):
    """One recompile that led to another; the table itself is tested elsewhere."""
    import shutil

    folder = tmp_path / "bundle"
    shutil.copytree(bundle_of("recompiles", "none"), folder)
    (path,) = folder.glob("logs/*/recompiles.jsonl")
    table = [json.loads(line) for line in path.read_text().splitlines()]
    table[5]["follows"] = table[4]["compile"]
    path.write_text("".join(json.dumps(row) + "\n" for row in table))
    (finding,) = (
        row
        for row in Bundle.open(folder).logs[0].findings()
        if row["title"].startswith("`limited` recompiled")
    )
    page, _ = show(folder, f"#v=1&view=recompiles&item={finding['fingerprint']}")
    right = detail(page, "Causes of recompiles")
    expect(right.get_by_role("article")).to_contain_text("limited recompiled 3 times")
    fold = right.get_by_role("group").filter(has_text="followed by 1 recompile in the same call").first
    expect(fold.get_by_role("link", name="[3/2] limited ok")).to_be_visible()
    expect(right).to_contain_text("follows ✔ [3/1]")


def test_failures_by_kind_with_traceback_and_records(show):
    page, bundle = show("failures", "#v=1&view=failures")
    table = bundle.logs[0].table("failures")
    expect(rows(page, "Failures")).to_have_count(1 + 5)
    rows(page, "Failures").filter(has_text="has_wrong_shapes").click()
    (raised,) = (row for row in table if row["kind"] == "exception" and row["line"] == 28)
    right = detail(page, "Failures")
    expect(right.get_by_role("listitem").filter(has_text="return x @ y").last).to_contain_text(
        "has_wrong_shapes /home/user/project/program.py:28"
    )
    printed = right.locator("pre.message").first
    expect(printed).to_have_text(f"{raised['type']}: {raised['reason'].strip()}", use_inner_text=True)
    folded = right.get_by_text("frames of torch").first
    expect(right.get_by_text("torch/_dynamo/convert_frame.py")).to_have_count(0)
    folded.click()
    expect(right.get_by_text("torch/_dynamo/convert_frame.py").first).to_be_visible()
    expect(right.get_by_role("link", name=f"record {raised['event']}").last).to_be_visible()
    page.get_by_label("Kind").select_option("graph could not be run")
    expect(rows(page, "Failures")).to_have_count(2)
    expect(right).to_contain_text("program.py")
    expect_address(page, "type=graph")


CHAINED = """Traceback (most recent call last):
  File "/home/user/a.py", line 3, in first
    return (
        one
      ^^^^^
  [Previous line repeated 2 more times]
ValueError: in the code below
   File "c, line 1", line 22, in c
     ^^^

  two lines

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/x/site-packages/torch/_dynamo/b.py", line 5, in wrapped
    raise Failed()
Failed: it stopped

from user code:
   File "/home/user/a.py", line 3, in first
    return (
"""


def test_a_traceback_has_frames_only_above_its_message(show):
    """A message may quote files and code; it keeps its line breaks."""
    page, _ = show("failures", "#v=1&view=failures")
    frames, messages, links = page.evaluate(
        """async (text) => {
          const { tracebackView } = await import("/viewers/lib/code/traceback.js");
          const view = tracebackView(text), all = (what) => [...view.querySelectorAll(what)].map((e) => e.textContent);
          return [all("ol.frames > li"), all("pre.message"), all("p")];
        }""",
        CHAINED,
    )
    assert frames == [
        "first /home/user/a.py:3return (\none\n[Previous line repeated 2 more times]",
        "1 frame of torch",
    ]
    first, _, rest = CHAINED.partition("ValueError")[2].partition("\n\nThe above")
    assert messages == [rest[rest.index("Failed: it") :].rstrip(), "ValueError" + first]
    assert links == ["The above exception was the direct cause of the following exception:"]


def test_findings_are_in_the_order_of_the_table(show, root):
    """The fatal error comes first in the overview and among the failures, although others cost more."""
    page, bundle = show(root / "fixtures/versions/2.13.0/ends.log.zst", "#v=1&view=failures")
    titles = [row["title"].replace("`", "") for row in bundle.logs[0].findings() if row["kind"] == "failure"]
    assert titles[0].startswith("prints failed to compile")
    for number, title in enumerate(titles, 1):
        row = rows(page, "Failures").nth(number)
        expect(row).to_contain_text(title.partition(" failed to compile: ")[2] or title)


def test_a_failed_export_is_named(show, root):
    page, _ = show(root / "fixtures/versions/2.13.0/exports.log.zst", "#v=1&view=failures")
    expect(rows(page, "Failures").filter(has_text="failed export")).to_have_count(7)
    page, _ = show(root / "fixtures/versions/2.13.0/exports.log.zst", "#v=1&view=overview")
    expect(page.get_by_role("list", name="At a glance")).to_contain_text(
        "1 function, 1 compile, at least 7 exports"
    )


def test_restarts_have_their_place(show):
    page, bundle = show("graph_breaks", "#v=1&view=failures&type=restart")
    restarts = [row for row in bundle.logs[0].table("failures") if row["kind"] == "restart"]
    assert restarts
    expect(rows(page, "Failures")).to_have_count(1 + len(restarts))


def test_guards_with_text_source_and_filter(show):
    page, bundle = show("recompiles", "#v=1&view=guards")
    tree = bundle.logs[0].table("guard_trees")[1]
    rows(page, "Guards of the compiles").nth(2).click()
    expect(rows(page, "Guards")).to_have_count(1 + len(tree["guards"]))
    expect(rows(page, "Guards").filter(has_text="TENSOR_MATCH")).to_contain_text("check_tensor(L['x']")
    expect(detail(page, "Guards of the compiles")).to_contain_text(f"{tree['latency_us']:.1f} µs")
    page.keyboard.press("g")
    page.keyboard.type("DYNAMIC_MARKING")
    expect(rows(page, "Guards")).to_have_count(1 + tree["counts"]["DIMENSION_DYNAMIC_MARKING_GUARD"])
    rows(page, "Guards").nth(1).get_by_role("link").click()
    expect(page.get_by_role("region", name="Text of dynamo_cpp_guards_str")).to_contain_text(
        "DIMENSION_DYNAMIC_MARKING_GUARD"
    )


def test_the_biggest_and_the_slowest_guards_are_a_click_away(show):
    page, bundle = show("recompiles", "#v=1&view=guards")
    trees = bundle.logs[0].table("guard_trees")
    biggest = max(trees, key=lambda tree: tree["guard_count"])
    expect(page.get_by_text("Most guards:")).to_contain_text(f"[{biggest['compile']}]")
    page.get_by_role("button", name="Check time").click()
    slowest = max(trees, key=lambda tree: tree["latency_us"])
    expect(rows(page, "Guards of the compiles").nth(1)).to_contain_text(f"[{slowest['compile']}]")


def test_caches_show_differences(show):
    page, bundle = show("caches", "#v=1&view=caches")
    table = bundle.logs[0].table("caches")
    page.get_by_label("Outcome").select_option("miss")
    expect(rows(page, "Caches")).to_have_count(1 + sum(row["outcome"] == "miss" for row in table))
    (other,) = (row for row in table if row["different"])
    rows(page, "Caches").last.click()
    right = detail(page, "Caches")
    expect(right.get_by_role("list").filter(has_text="gm")).to_be_visible()
    expect(right.get_by_role("link", name=f"record {other['closest_event']}")).to_be_visible()
    expect_address(page, f"item={other['event']}")


def test_page_of_a_compile_shows_the_reason(show):
    page, bundle = show("recompiles", "#v=1&view=compile&compile=3/4")
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("article")).to_contain_text("limited hit the recompile limit (4)")
    expect(summary).to_contain_text("tensor 'x' size mismatch at index 0. expected 2, actual 6")
    expect(summary.get_by_role("link", name="Compare with the previous compile")).to_have_attribute(
        "href", f"#v=1&view=compare&left={bundle.logs[0].id}/3/3&right={bundle.logs[0].id}/3/4"
    )
    summary.get_by_role("link", name="limited hit the recompile limit").click()
    right = detail(page, "Causes of recompiles")
    expect(right.get_by_role("article")).to_contain_text("caused by limited recompiled 3 times")
    expect(right).to_contain_text("All compiles of limited")
    page, _ = show("recompiles", "#v=1&view=compile&compile=0/1")
    page.get_by_role("region", name="Summary").get_by_role("link", name="12 guards in the tree").click()
    expect(detail(page, "Guards of the compiles")).to_contain_text("[0/1] grows")


@pytest.mark.parametrize(
    "view, title, text",
    [
        ("breaks", "No graph breaks", "Nothing to fix."),
        ("failures", "No failures", "Nothing to fix."),
        ("recompiles", "No recompiles", "Nothing to fix."),
        ("guards", "No guards", "torch logs the guards when a compile ends"),
        ("caches", "No cache lookups", "torch logs them when Inductor compiles"),
    ],
)
def test_empty_views(show, view, title, text):
    page, _ = show(
        record('compilation_metrics 0/0 {"co_name": "f", "start_time_us": 1}'), f"#v=1&view={view}"
    )
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_role("main")).to_contain_text(text)


def test_unknown_item_is_reported(show):
    page, _ = show("graph_breaks", "#v=1&view=breaks&item=99")
    expect(page.get_by_text("No graph break '99' in this list.")).to_be_visible()


def test_a_long_list_has_few_rows_in_the_page(show):
    lines = [record("dynamo_start 0/0 {}")]
    for n in range(20_000):
        lines.append(
            record(
                f"artifact:aotautograd_cache_{'hit' if n % 2 else 'miss'} 0/{n}",
                payload=json.dumps({"key": f"k{n}", "cache_state": "miss"}),
            )
        )
    page, _ = show(b"".join(lines), "#v=1&view=caches")
    expect(page.get_by_text("20,000 lookups and writes")).to_be_visible()
    grid = page.get_by_role("grid", name="Caches", exact=True)
    for step in range(20):
        grid.evaluate(
            "(element, part) => { element.scrollTop = element.scrollHeight * part; return new"
            " Promise(requestAnimationFrame) }",
            step / 20,
        )
        assert grid.get_by_role("row").count() < 200
    page.get_by_label("Filter lookups").fill("k19999")
    expect(page.get_by_text("1 of 20,000")).to_be_visible()
