"""Findings about measured times: what they say, and when they say nothing."""

import pytest
from made_profile import built_launch_bound
from profiled import PROGRAMS, built_with
from tlparse_bundle import build, discover
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.statements.kinds.run_time import KINDS


def ours(log):
    return {row["kind"]: row for row in log.findings() if row["kind"] in KINDS}


def test_a_device_that_waits_for_launches(tmp_path):
    (log,) = built_launch_bound(tmp_path).logs
    (row,) = log.table("region_calls")
    # Ten kernels of 5 µs, whose starts are 100 µs apart: 50 of 905 µs.
    assert row["device_busy_us"] == pytest.approx(3 * 50)
    assert row["device_idle_us"] == pytest.approx(3 * 855)
    assert (row["launch_count"], row["launch_us"], row["lookup_us"]) == (30, 1200, 240)
    found = ours(log)
    assert found.keys() == {"device-idle", "lookup-time"}
    assert "94 %" in found["device-idle"]["title"]
    assert found["device-idle"]["details"]["us"] == pytest.approx(2565)
    assert "reduce-overhead" in found["device-idle"]["remedies"][0]["code"]
    assert "7 %" in found["lookup-time"]["title"]  # 240 of 3,240 µs


def test_a_break_says_what_it_costs_per_call(tmp_path):
    (log,) = built_with("breaks", tmp_path / "bundle").logs
    row = ours(log)["break-time"]
    (region,) = [row for row in log.table("region_calls") if row["key"] == "0/0"]
    (place,) = log.table("graph_breaks")
    assert (row["line"], row["compiles"], row["count"]) == (place["line"], ["0/0"], region["count"])
    assert row["details"] == {"us": region["eager_us"], "calls_us": region["total_us"]}


def test_the_most_expensive_line_and_fallbacks(tmp_path):
    (log,) = built_with("fallbacks", tmp_path / "bundle").logs
    first = log.table("line_times")[0]
    found = ours(log)
    assert found["hot-line"]["line"] == first["line"]
    assert found["hot-line"]["details"]["source_line"] == "values, places = (x.sin() + 1).sort(0)"
    assert found["copy-time"]["details"]["names"] == ["aten::sort", "aten::cumsum"]


def test_other_findings_and_the_headline_stay(tmp_path):
    """Findings keep their order, their consequences and their text; only numbers change."""
    build(discover([PROGRAMS / "breaks" / "trace"]), tmp_path / "plain", jobs=1)
    (plain,) = Bundle.open(tmp_path / "plain").logs
    (log,) = built_with("breaks", tmp_path / "bundle").logs
    assert not ours(plain)
    kept = [row for row in log.findings() if row["kind"] not in KINDS]
    names = {row["id"]: row["fingerprint"] for row in log.findings()}
    before = {row["id"]: row["fingerprint"] for row in plain.findings()}

    def comparable(row, names):
        return {**row, "id": None, "because_of": names.get(row["because_of"])}

    assert [comparable(row, names) for row in kept] == [comparable(row, before) for row in plain.findings()]
    assert [row["id"] for row in log.findings()] == list(range(len(log.findings())))
    extra = len(ours(log))
    assert extra >= 2
    assert log.summary["findings"]["info"] == plain.summary["findings"]["info"] + len(log.findings()) - len(
        kept
    )
    assert {**log.summary, "findings": None} == {**plain.summary, "findings": None}
