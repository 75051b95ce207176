"""The multi-rank viewer on bundles with Flight Recorder dumps."""

import re

import pytest
from conftest import FIXTURES
from playwright.sync_api import expect
from test_web_multirank import view  # noqa: F401
from tlparse_bundle import build, discover

JOBS = FIXTURES / "flight_recorder"


@pytest.fixture
def recorded(view, once):
    """Return recorded(name): the page of the collectives of a job with its dumps."""

    def make(folder, name):
        build(
            discover([JOBS / name / "trace"]),
            folder / "bundle",
            jobs=1,
            flight_recorder=[str(JOBS / name / "dumps")],
        )

    def show(name):
        folder = once(("recorded", name), lambda folder: make(folder, name))
        return view(folder / "bundle", "#v=1&view=collectives")

    return show


def rows(page, group):
    table = page.get_by_role("region", name=group, exact=True).get_by_role("table")
    return [row.replace("\t", " | ") for row in table.get_by_role("row").all_inner_texts()[1:]]


def test_each_group_shows_the_call_of_each_rank(recorded):
    page = recorded("wrong_order")
    section = page.get_by_role("region", name="Flight Recorder")
    expect(section).to_contain_text("ranks wait or differ in 2 of 3 groups")
    assert rows(page, "Group default_pg, ranks 0–3") == [
        "rank 0 | not called | last: all_reduce #1 | sync [1/0] › | project/program.py:36",
        "ranks 1–3 | waits (scheduled) | all_reduce #2 | sync [1/0] › | project/program.py:36",
    ]
    assert rows(page, "Group mesh_tp, ranks 2 and 3") == [
        "ranks 2 and 3 | finished | all_reduce #2 | tensor_parallel [0/0] › | project/program.py:45"
    ]
    page.get_by_role("region", name="Group mesh_tp, ranks 0 and 1").get_by_role(
        "link", name="[0/0] ›"
    ).first.click()
    expect(page).to_have_url(re.compile("/viewers/default/.*compile=0(%2F|/)0"))


def test_calls_that_differ_and_ranks_without_a_dump(recorded):
    page = recorded("other_call")
    assert rows(page, "Group default_pg, ranks 0–3") == [
        "ranks 0, 2 and 3 | waits (scheduled) | all_reduce #2 | eager, in other_call | project/program.py:125",
        "rank 1 | waits (scheduled) | barrier #2 | eager, in other_call | project/program.py:123",
    ]
    page = recorded("no_dump")
    assert rows(page, "Group default_pg, ranks 0–3")[1:] == ["rank 2 | no dump |  |  | "]
    expect(page.get_by_role("heading", level=3).first).to_contain_text(
        "rank 2 has no dump and may not have called"
    )


@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_the_tables_fit_the_window(recorded, width):
    page = recorded("wrong_order")
    page.set_viewport_size({"width": width, "height": 800})
    for table in page.get_by_role("region", name="Flight Recorder").get_by_role("table").all():
        box = table.bounding_box()
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_bundle_without_dumps_has_no_such_section(view):
    page = view("ranks_healthy", "#v=1&view=collectives")
    expect(page.get_by_role("heading", name="Collectives")).to_be_visible()
    expect(page.get_by_role("region", name="Flight Recorder")).to_have_count(0)
