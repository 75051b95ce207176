"""Metrics of a compile in groups with units, different configurations, and the partitioner's decisions."""

from playwright.sync_api import expect


def test_groups_units_and_meanings(show):
    page, bundle = show("provenance_graphs", "#v=1&view=compile&compile=0/0&artifact=~metrics")
    metrics = page.get_by_role("region", name="Metrics")
    for title in ["Times", "Graph, guards, parameters", "Caches", "Versions", "Configuration"]:
        expect(metrics.get_by_role("heading", name=title)).to_be_visible()
    log = bundle.logs[0]
    meaning = next(field["meaning"] for field in log.table("metric_fields") if field["name"] == "guard_count")
    expect(metrics).to_contain_text(meaning)
    us = log.table("metrics")[0]["values"]["duration_us"]
    expect(metrics).to_contain_text(
        f"duration_us{us / 1e6:.3g} s" if us >= 1e6 else f"duration_us{us / 1e3:.3g} ms"
    )


def test_a_configuration_unlike_the_first(show):
    page, bundle = show("provenance_graphs", "#v=1&view=compiles")
    log = bundle.logs[0]
    (other,) = (config for config in log.table("metric_configs") if config["base"] is not None)
    assert other["changes"] == {"cpp_wrapper": True}
    (row,) = (row for row in log.table("metrics") if other["id"] in row["configs"].values())
    page.goto(page.url.split("#")[0] + f"#v=1&view=compile&compile={row['compile']}&artifact=~metrics")
    metrics = page.get_by_role("region", name="Metrics")
    expect(metrics).to_contain_text("2 different configurations in this log")
    expect(metrics.get_by_role("row", name="cpp_wrapper false true")).to_be_visible()
    metrics.get_by_text("All settings of inductor_config").click()
    expect(metrics.get_by_role("row", name="cpp_wrapper true", exact=True)).to_be_visible()


def test_values_saved_for_the_backward(show):
    page, _ = show("memory_budget", "#v=1&view=compile&compile=0/0")
    summary = page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text("Memory budget 0.3. 4 candidates: 1 saved, 3 recomputed.")
    for name in ["addmm", "addmm_1", "addmm_2", "addmm_3"]:
        expect(summary.get_by_role("cell", name=name, exact=True)).to_be_visible()
    expect(summary.get_by_role("cell", name="↻ recomputed")).to_have_count(3)


def test_a_backward_has_metrics_of_its_own(show):
    page, _ = show("memory_budget", "#v=1&view=compile&compile=0/0&artifact=~metrics")
    page.get_by_role("region", name="Metrics").get_by_role("link", name="bwd compilation metrics").click()
    page.goto(page.url.split("#")[0] + "#v=1&view=compile&compile=0/0&artifact=bwd_compilation_metrics")
    metrics = page.get_by_role("region", name="Metrics")
    expect(metrics.get_by_text("backward_cumulative_compile_time_us", exact=True)).to_be_visible()
    expect(metrics.get_by_role("link", name="compilation metrics", exact=True)).to_be_visible()
