"""bundles.json for any contents of a folder."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tlparse_bundle import Bundle
from tlparse_bundle.serve import catalogue
from tlparse_bundle.serve.catalogue import bundle_row
from tlparse_bundle.serve.http.app import create_app
from traces import ROOT

COUNTS = ("log_count", "compile_count", "compile_us")
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def manifest(bundle):
    return Bundle.open(bundle).manifest


def rows(folder):
    client = TestClient(create_app({"runs": folder}), base_url="http://127.0.0.1")
    response = client.get("/bundles.json")
    assert response.status_code == 200
    return response.json()["bundles"]


def places(value, path=()):
    """Yield the paths of all values in a manifest."""
    yield path
    for key, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from places(inner, (*path, key))


def with_change(value, path, change):
    if not path:
        return change
    out = dict(value) if isinstance(value, dict) else list(value)
    out[path[0]] = with_change(value[path[0]], path[1:], change)
    return out


def is_row(row):
    """Return whether a page can show the row."""
    if "problem" in row:
        return isinstance(row["problem"], str)
    known = [
        row[key] for key in COUNTS if key != "compile_us" or row[key] is not None
    ]  # a time may be unknown
    counts = [*known, *row["ranks"]]
    return all(type(count) is int and count >= 0 for count in counts) and all(
        isinstance(text, str) for text in row["torch_versions"]
    )


def test_any_value_in_any_place_of_a_manifest(manifest):
    every = list(places(manifest))

    @settings(max_examples=100, deadline=None)
    @given(st.sampled_from(every), ANY)
    def check(path, change):
        row = bundle_row("x", with_change(manifest, path, change))
        assert is_row(row)
        json.dumps(row, allow_nan=False)

    check()
    assert "problem" not in bundle_row("x", manifest) and is_row(bundle_row("x", manifest))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"format": []}',
        b'{"format": {"name": "tlparse-bundle"}}',
        b'{"format": {"name": "tlparse-bundle"}, "logs": {"a": 1}}',
    ],
    ids=lambda data: str(data)[:30],
)
def test_an_invalid_manifest_is_a_problem_of_its_row(data, manifest, tmp_path):
    for name, content in (("a", data), ("b", json.dumps(manifest).encode())):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_bytes(content)
    broken, sound = rows(tmp_path)
    assert broken["problem"] and broken["name"] == "runs/a"
    assert sound["log_count"] == 1


def test_a_manifest_that_is_too_large_for_a_list(manifest, tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr(catalogue, "_MAX_MANIFEST", 1000)
    assert "problem" in rows(tmp_path)[0]


def test_a_list_stays_short(manifest):
    log_row = manifest["logs"][0]
    logs = [
        log_row | {"torch_version": f"{i}" * 500, "summary": log_row["summary"] | {"text": f"{i}" * 5000}}
        for i in range(100)
    ]
    assert len(json.dumps(bundle_row("x", manifest | {"logs": logs}))) < 20_000


def test_folders_links_and_pipes(manifest, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    sound = runs / "sound"
    sound.mkdir()
    (sound / "manifest.json").write_text(json.dumps(manifest))
    (runs / "again").symlink_to("sound")
    (runs / "circle").symlink_to("circle")
    (runs / "nowhere").symlink_to("nothing")
    (runs / "up").symlink_to(tmp_path)
    (runs / "itself").symlink_to(".")
    os.mkfifo(runs / "pipe")
    (runs / "manifest.json").symlink_to("sound/manifest.json")
    (runs / os.fsdecode(b"not utf-8 \xff")).mkdir()
    for name in ("folder", "link", "pipe", "circle"):
        (runs / f"of_{name}").mkdir()
    (runs / "of_folder" / "manifest.json").mkdir()
    (runs / "of_link" / "manifest.json").symlink_to("../sound/manifest.json")
    (runs / "of_circle" / "manifest.json").symlink_to("manifest.json")
    os.mkfifo(runs / "of_pipe" / "manifest.json")
    assert [row["name"] for row in rows(runs)] == ["runs/again", "runs/sound"]


def test_ten_thousand_folders(manifest, tmp_path):
    for number in range(10_000):
        (tmp_path / f"{number:05}").mkdir()
    (tmp_path / "00003" / "manifest.json").write_text(json.dumps(manifest))
    assert [row["name"] for row in rows(tmp_path)] == ["runs/00003"]


def test_a_summary_without_what_a_list_shows_is_a_problem(manifest):
    for key in manifest["logs"][0]["summary"]:
        changed = json.loads(json.dumps(manifest))
        del changed["logs"][0]["summary"][key]
        assert ("problem" in bundle_row("x", changed)) == (
            key in ("text", "findings", "compile_count", "compile_us")
        ), key


def test_rank_findings_come_first(built):
    bundle = built(ROOT / "fixtures" / "jobs" / "extra_then_hang")
    (row,) = (
        TestClient(create_app({"job": bundle.folder}), base_url="http://127.0.0.1")
        .get("/bundles.json")
        .json()["bundles"]
    )
    assert row["text"] == bundle.job["text"] != bundle.manifest["logs"][0]["summary"]["text"]
    assert (
        row["findings"]["error"]
        >= sum(finding["severity"] == "error" for finding in bundle.rank_table("rank_findings"))
        > 0
    )
    assert row["holds"] == ["ranks"]
    assert row["size_bytes"] == sum(
        path.stat().st_size for path in bundle.folder.rglob("*") if path.is_file()
    )
    assert row["built_us"] == int((bundle.folder / "manifest.json").stat().st_mtime * 1e6)


@pytest.mark.parametrize(
    "job", [3, {}, {"text": 3, "findings": {"error": "many", "warning": -1}}, {"text": [], "findings": [3]}]
)
def test_any_value_in_place_of_the_rank_summary(job, manifest):
    row = bundle_row("x", {**manifest, "job": job})
    assert row["text"] == manifest["logs"][0]["summary"]["text"] and is_row(row)


def test_a_list_is_read_once_and_again_where_a_bundle_changed(manifest, tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest))
    client = TestClient(create_app({"runs": tmp_path}), base_url="http://127.0.0.1")
    read = []
    monkeypatch.setattr(
        catalogue, "bundle_row", lambda name, *rest: (read.append(name), bundle_row(name, *rest))[1]
    )
    first = client.get("/bundles.json").json()
    assert sorted(read) == ["runs/a", "runs/b"]
    assert client.get("/bundles.json").json() == first and len(read) == 2
    (tmp_path / "b" / "manifest.json").write_text(json.dumps(manifest) + "\n")
    assert (
        client.get("/bundles.json").json()["bundles"][1]["size_bytes"]
        == first["bundles"][1]["size_bytes"] + 1
    )
    assert read[2:] == ["runs/b"]
