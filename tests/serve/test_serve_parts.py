"""Ranges, encodings, places and names of downloads, without a server."""

import os

import pytest

pytest.importorskip("starlette")

from log_builder import log
from starlette.requests import Request
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.serve import bundle_places
from tlparse_bundle.serve.bundle_places import (
    LocalPlace,
    RemotePlace,
    bytes_below,
    inside,
    is_bundle,
    local_file,
    open_place,
    proper,
)
from tlparse_bundle.serve.http.access import address_with, base_with, is_of_another_site
from tlparse_bundle.serve.http.downloads import _chosen_policy, attachment
from tlparse_bundle.serve.http.responses import _cut, accepted_encodings, byte_range, is_quick


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-3", range(4)),
        ("bytes=2-2", range(2, 3)),
        ("bytes=2-", range(2, 10)),
        ("bytes=0-99", range(10)),
        ("bytes=9-9", range(9, 10)),
        ("bytes=10-", range(0)),
        ("bytes=10-12", range(0)),
        ("bytes=3-2", None),
        ("bytes=-3", range(7, 10)),
        ("bytes=-99", range(10)),
        ("bytes=-0", range(10, 10)),
        ("bytes = 1 - 2", range(1, 3)),
        ("bytes=-", None),
        ("bytes=1-2,4-5", None),
        ("lines=1-2", None),
        ("bytes=x-2", None),
    ],
)
def test_ranges(header, expected):
    assert byte_range(header, 10) == expected


@pytest.mark.parametrize("span", [range(10), range(3), range(2, 7), range(4, 4), range(9, 10), range(3, 5)])
def test_a_range_of_pieces(span):
    data = b"0123456789"
    for size in (1, 3, 4, 10, 11):
        pieces = [data[start : start + size] for start in range(0, 10, size)]
        assert b"".join(_cut(pieces, span)) == data[span.start : span.stop]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("gzip", {"gzip"}),
        ("GZIP, zstd", {"gzip", "zstd"}),
        ("gzip;q=0, br;q=0.5, zstd; q=1.0", {"br", "zstd"}),
        ("gzip;q=0.0, br;q=1", {"br"}),
        ("gzip;q=0.001", {"gzip"}),
    ],
)
def test_encodings(header, expected):
    assert accepted_encodings(header) == expected


def request(**headers):
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw, "query_string": b""})


def test_what_needs_no_thread(tmp_path):
    (tmp_path / "x").write_bytes(b"1")
    stored = local_file(tmp_path, "x")
    assert is_quick(request(), "x.json", stored) and not is_quick(request(), "x.json.zst", stored)
    assert is_quick(request(accept_encoding="zstd"), "x.json.zst", stored)
    assert is_quick(request(), "x", stored._replace(size=1 << 20))
    assert not is_quick(request(), "x", stored._replace(size=(1 << 20) + 1))
    assert not is_quick(request(), "x", stored._replace(size=None))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", True),
        ("a/b.json", True),
        ("é", True),
        ("", False),
        ("a//b", False),
        ("a/.b", False),
        ("../a", False),
        ("a\\b", False),
        ("a?b", False),
        ("a\x00b", False),
        ('a"b', False),
    ],
)
def test_names_of_files(path, expected):
    assert proper(path) is expected


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(log("dynamo_start 0/0"))
    (tmp_path / "all" / "deep").mkdir(parents=True)
    for name in ("b", "a"):
        build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / "all" / name, jobs=1)
    (tmp_path / "all" / ".hidden").mkdir()
    (tmp_path / "all" / "file").touch()
    (tmp_path / "all" / "link").symlink_to(tmp_path / "all" / "a")
    (tmp_path / "all" / "out").symlink_to(tmp_path)
    (tmp_path / "all" / "loop").symlink_to("loop")
    return tmp_path / "all"


def test_a_place_on_this_machine(folder):
    place = open_place(folder)
    assert isinstance(place, LocalPlace) and not place.remote
    assert place.folders() == ["a", "b", "deep", "link"] and place.folders(2) == ["a", "b"]
    assert [name for name in place.folders() if is_bundle(place, name)] == ["a", "b", "link"]
    assert not is_bundle(place) and is_bundle(open_place(folder / "a"))
    assert place.location("a") == str(folder / "a") and place.location() == str(folder)
    size = sum(path.stat().st_size for path in (folder / "a").rglob("*") if path.is_file())
    assert place.size("a") == size == bytes_below(folder / "a") and place.size("none") is None
    with pytest.raises(FileNotFoundError):
        place.location("out")
    names = place.files("a")
    assert names == sorted(names) and "manifest.json" in names
    (folder / "a" / "notes.txt").touch()
    (folder / "a" / "logs" / "more.json").symlink_to(folder / "file")
    assert place.files("a") == names


def test_a_file_of_a_place_is_regular(folder):
    place = open_place(folder)
    stored = place.file("manifest.json", "a")
    with stored.open() as file:
        assert len(file.read()) == stored.size
    assert stored.modified == (folder / "a" / "manifest.json").stat().st_mtime
    (folder / "a" / "manifest.json").write_bytes(b"{}")
    assert place.file("manifest.json", "a").tag != stored.tag
    assert place.file("manifest.json", "out") is None and place.file("none", "a") is None
    assert place.file("link") is None and place.file("a") is None and place.file("a\0b") is None


def test_paths_inside_a_folder(folder):
    assert inside(folder, "file") == folder / "file" and inside(folder, "file", os.path.isdir) is None
    assert inside(folder, "../all/file") is None and inside(folder, ".") is None
    assert inside(folder, ".hidden", os.path.isdir) is None and inside(folder, "loop") is None
    assert inside(folder, "x" * 5000) is None and inside(folder, "a\0b") is None


def test_a_very_large_tree_is_not_measured_to_its_end(tmp_path, monkeypatch):
    for number in range(4):
        (tmp_path / f"f{number}").mkdir()
        (tmp_path / f"f{number}" / "x").write_bytes(b"12")
    assert bytes_below(tmp_path) == 8 and bytes_below(tmp_path / "none") == 0
    monkeypatch.setattr(bundle_places, "_MEASURED", 5)
    assert bytes_below(tmp_path) == 2


def test_a_place_that_is_missing(tmp_path):
    with pytest.raises(BundleError, match="is not a bundle or a folder of bundles") as raised:
        open_place(tmp_path / "none")
    assert raised.value.code == "not-a-bundle" and LocalPlace(tmp_path / "none").folders() == []


def test_a_place_at_a_url(folder, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    system, url = fsspec.filesystem("memory"), f"memory://places/{tmp_path.name}"
    for path in ("a/manifest.json", "a/blobs/00/x", "b/notes.txt", ".c/manifest.json", "a/notes.txt"):
        system.pipe_file(f"{url}/{path}", path.encode())
    place = open_place(url + "/")
    assert isinstance(place, RemotePlace) and place.remote
    assert place.folders() == ["a", "b"] and place.folders(1) == ["a"] and place.size("a") is None
    assert is_bundle(place, "a") and not is_bundle(place, "b")
    assert (place.location("a"), place.location()) == (f"{url}/a", url + "/")
    assert place.files("a") == ["manifest.json"]
    stored = place.file("manifest.json", "a")
    assert stored.size is None and stored.open().read() == b"a/manifest.json"
    system.pipe_file(f"{url}/a/manifest.json", b"longer than before")
    assert place.file("manifest.json", "a").tag != stored.tag
    assert place.file("../a/manifest.json") is None and place.file("none", "a") is None
    assert place.file("a") is None
    blob = place.file("blobs/00/x", "a")
    system.pipe_file(f"{url}/a/blobs/00/x", b"other")
    assert place.file("blobs/00/x", "a").tag == blob.tag
    with pytest.raises(OSError, match="more than 3 bytes"):
        blob.open(3)


# ---- addresses and downloads


def test_addresses_with_a_token():
    assert address_with("http://h/", "T") == "http://h/?token=T"
    assert address_with("http://h/?a=1", "T") == "http://h/?a=1&token=T"
    assert address_with("http://h/", None) == base_with("http://h/", None) == "http://h/"
    assert base_with("http://h/", "T") == "http://h/t/T/"


@pytest.mark.parametrize(
    ("site", "expected"),
    [("cross-site", True), ("same-site", True), ("same-origin", False), ("none", False), (None, False)],
)
def test_requests_of_other_sites(site, expected):
    headers = {} if site is None else {"sec_fetch_site": site}
    assert is_of_another_site(request(**headers).headers) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my run", "attachment; filename=\"my_run.zip\"; filename*=UTF-8''my_run.zip"),
        ("a/größe", "attachment; filename=\"gr__e.zip\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.zip"),
        ("..", "attachment; filename=\"bundle.zip\"; filename*=UTF-8''bundle.zip"),
    ],
)
def test_names_of_downloads(name, expected):
    assert attachment(name, ".zip") == expected


def test_policies_that_a_page_asks_for():
    assert _chosen_policy({}) is None
    assert _chosen_policy({"preset": "share-with-vendor"}).preset == "share-with-vendor"
    few = _chosen_policy({"drop": "metrics,,payloads"})
    assert {"metrics", "payloads"} <= few.dropped and not {"source", "metadata"} & few.dropped
    assert not {"metrics", "payloads", "source"} & _chosen_policy({"drop": ""}).dropped
    with pytest.raises(BundleError, match="unknown"):
        _chosen_policy({"drop": "everything"})
