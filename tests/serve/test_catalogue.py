"""Rows of the list of bundles and viewers, and names in addresses."""

import copy

import pytest

pytest.importorskip("starlette")

from log_builder import log
from tlparse_bundle import build, discover
from tlparse_bundle.serve.bundle_places import open_place
from tlparse_bundle.serve.catalogue import Bundles, bundle_row, measures, url_names, viewer_row
from tlparse_bundle.serve.viewers import (
    EXAMPLES,
    NEEDS,
    PAGES,
    forkable,
    holds,
    viewer_folder,
    viewers_folder,
)

LOG = {
    "rank": 1,
    "torch_version": "2.9.0",
    "summary": {
        "text": "Text.",
        "findings": {"error": 1, "warning": 2, "info": 3},
        "compile_count": 4,
        "compile_us": 500,
        "functions": [{"function": "g"}, {"function": "f"}, {"function": None}, 3],
    },
}
MANIFEST = {"format": {"name": "tlparse-bundle", "major": 2, "minor": 0}, "logs": [LOG]}


def row(**fields):
    return bundle_row("a b", {**copy.deepcopy(MANIFEST), **fields})


def of_log(summary=(), **fields):
    made = copy.deepcopy(LOG) | fields
    made["summary"] |= dict(summary)
    return made


def test_the_row_of_a_bundle():
    assert row() == {
        "name": "a b",
        "url": "bundles/a%20b/",
        "log_count": 1,
        "ranks": [1],
        "torch_versions": ["2.9.0"],
        "holds": [],
        "functions": ["f", "g"],
        "text": "Text.",
        "findings": {"error": 1, "warning": 2, "info": 3},
        "compile_count": 4,
        "compile_us": 500,
    }


def test_several_logs_are_summed_up():
    other = of_log(
        {"text": "Worse.", "findings": {"error": 2, "warning": 0, "info": 0}, "compile_us": None}, rank=0
    )
    job = {"text": "Together.", "findings": {"error": 5, "warning": True, "info": -1}}
    found = row(logs=[LOG, other, of_log(rank=None, torch_version=None)])
    assert (found["log_count"], found["ranks"], found["compile_count"], found["compile_us"]) == (
        3,
        [0, 1],
        12,
        1000,
    )
    assert (found["text"], found["findings"]) == ("Worse.", {"error": 2, "warning": 0, "info": 0})
    found = row(logs=[LOG, other], job=job)
    assert (found["text"], found["findings"]) == ("Together.", {"error": 7, "warning": 0, "info": 0})
    assert row(logs=[of_log({"compile_us": None})])["compile_us"] is None
    empty = row(logs=[])
    assert (empty["compile_count"], empty["compile_us"], empty["log_count"]) == (
        0,
        None,
        0,
    ) and "text" not in empty


def test_labels_and_growth():
    assert row(label="x" * 101)["label"] == "x" * 100 and "label" not in row(label=3)
    assert row(growing=True)["growing"] is True and "growing" not in row(growing=1)
    assert len(row(logs=[of_log({"text": "x" * 501})])["text"]) == 500
    versions = [of_log(torch_version=f"2.{number}") for number in range(60)]
    assert len(row(logs=versions)["torch_versions"]) == 50


@pytest.mark.parametrize(
    "fields",
    [
        {"logs": None},
        {"logs": [3]},
        {"logs": [{}]},
        {"logs": [of_log(rank=-1)]},
        {"logs": [of_log(rank=True)]},
        {"logs": [of_log(torch_version=3)]},
        {"logs": [of_log(summary={"text": None})]},
        {"logs": [of_log(summary={"compile_count": None})]},
        {"logs": [of_log(summary={"compile_us": -1})]},
        {"logs": [of_log(summary={"findings": {"error": 1}})]},
        {"format": {"name": "tlparse-bundle", "major": 1}},
    ],
)
def test_manifests_of_another_version(fields):
    assert row(**fields) == {
        "name": "a b",
        "url": "bundles/a%20b/",
        "problem": "its manifest.json has a different version",
    }


@pytest.mark.parametrize("manifest", [None, [], {}, {"format": 3}, {"format": {"name": "other"}}])
def test_what_is_not_a_manifest(manifest):
    assert bundle_row("x", manifest)["problem"] == "its manifest.json is not that of a bundle"


def test_sizes_and_times():
    assert measures(7, 1.5) == {"size_bytes": 7, "built_us": 1_500_000}
    assert measures(None, None) == {"size_bytes": None, "built_us": None}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, []),
        ({"rank_tables": {}}, []),
        ({"rank_tables": {"x": 1}}, ["ranks"]),
        ({"descriptors": {"artifact:inductor_post_to_pre_grad_nodes": 1}}, ["provenance"]),
        ({"descriptors": {"artifact:vllm_execution_code": 1}}, ["vllm"]),
        ({"descriptors": {"artifact:other": 1}}, []),
        ({"descriptors": ["artifact:vllm_execution_code"]}, []),
    ],
)
def test_contents_that_viewers_need(fields, expected):
    assert holds(fields) == expected


def test_rows_of_viewers(tmp_path):
    for name in forkable():
        found = viewer_row(name, viewer_folder(name))
        assert found["title"] and found["url"] == f"viewers/{name}/" and name not in PAGES
        assert found.get("needs") == NEEDS.get(name) and found.get("example", False) == (name in EXAMPLES)
        assert viewer_folder(name) == viewers_folder() / name
    (tmp_path / "index.html").write_text("<title>\n A &amp; B </title>")
    assert viewer_row("my own", tmp_path) == {
        "name": "my own",
        "url": "viewers/my%20own/",
        "title": "A & B",
        "description": "",
    }
    (tmp_path / "index.html").write_text('<meta name="description" content="About &lt;it&gt;">')
    found = viewer_row("x", tmp_path)
    assert (found["title"], found["description"]) == ("x", "About <it>")


def test_names_in_addresses(tmp_path):
    places = [
        tmp_path / "a",
        tmp_path / "b" / "a",
        "s3://bucket/x/a/",
        tmp_path / "é.d",
        tmp_path / ".hidden",
        "s3://b",
    ]
    assert [*url_names(places)] == ["a", "a-2", "a-3", "_.d", "hidden", "b"]
    assert url_names([tmp_path / "..."]).keys() == {"bundle"}


@pytest.fixture
def bundles(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(log("dynamo_start 0/0"))
    for name in ("alone", "all/one", "all/two"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / name, jobs=1)
    (tmp_path / "all" / "other").mkdir()
    return Bundles({name: open_place(tmp_path / name) for name in ("alone", "all")}), tmp_path


def test_bundles_of_several_places(bundles):
    found, folder = bundles
    assert [row["name"] for row in found.rows()] == ["alone", "all/one", "all/two"]
    assert [(one.folder, one.place) for one in found.locations()] == [
        (folder.name, str(folder / "alone")),
        ("all", str(folder / "all" / "one")),
        ("all", str(folder / "all" / "two")),
    ]
    assert found.only() is None and not found.is_remote("alone/x") and not found.is_remote("none/x")
    assert Bundles({"alone": open_place(folder / "alone")}).only() == "alone"
    assert Bundles({"all": open_place(folder / "all")}).only() is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alone", ""),
        ("all/one", "one"),
        ("all", None),
        ("all/other", None),
        ("all/none", None),
        ("alone/logs", None),
        ("all/one/logs", None),
        ("none", None),
        ("../all/one", None),
    ],
)
def test_a_bundle_by_its_name(bundles, name, expected):
    place = bundles[0].bundle(name)
    assert (place and place[1]) == expected if expected is not None else place is None
    download = bundles[0].download(f"{name}.zip")
    assert (download is None) == (expected is None)
    assert download is None or download[:2] == (name, ".zip")


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("alone/manifest.json", "manifest.json"),
        ("all/two/manifest.json", "manifest.json"),
        ("all/manifest.json", None),
        ("all/other/manifest.json", None),
        ("alone/notes.txt", None),
        ("none/manifest.json", None),
        ("alone/../alone/manifest.json", None),
    ],
)
def test_a_file_of_a_bundle(bundles, path, expected, again):
    found, folder = bundles
    (folder / "alone" / "notes.txt").touch()
    if again:
        found.rows()
    file = found.file(path)
    assert (file and file[0]) == expected


def test_a_row_is_read_again_when_its_bundle_changed(bundles):
    found, folder = bundles
    first = found.rows()[0]
    assert found.rows()[0] is first and first["size_bytes"] > 0 and first["built_us"]
    (folder / "alone" / "manifest.json").write_text("{}")
    assert found.rows()[0]["problem"]
