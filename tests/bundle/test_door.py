"""Paths that a bundle may name, and which of them are opened."""

import os
import socket

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.bundle.regular_file import NotRegular, open_regular, read_regular

BLOB = "blobs/ab/ab" + "0" * 62


@pytest.mark.parametrize("path", ["manifest.json", "schemas.json", "schemas.json.zst", "ranks/rank_findings.jsonl.gz", "ranks/ranks/0000.jsonl", "logs/rank_0/log.json", "logs/a.b-c/my-table.jsonl.zst",
                                  "logs/x/events/0000.jsonl.zst", "logs/x/verbatim/12345.log", BLOB, BLOB + ".zst"])  # fmt: skip
def test_paths_of_a_bundle(path):
    assert is_own(path)


@pytest.mark.parametrize("path", ["", "/", "..", "manifest.json/", "/manifest.json", "./manifest.json", "manifest.json.zst", "manifest.json\n", "../manifest.json",
                                  "logs/../log.json", "logs/./log.json", "logs/.x/log.json", "logs/-x/log.json", "logs/é/log.json", "logs/x/é.json", "logs/x y/log.json",
                                  "logs/x\\y/log.json", "logs/x\0/log.json", "logs/x/log.json\n", "logs/x/.log.json", "logs/x/..json", "logs/x/log.py", "logs/x/events/١٢٣٤.json",
                                  "logs/x/events/000.json", "logs/x/events/0000.py", "logs/x/../0000.json", "logs/x/events/../0000.json", "logs/x//log.json", "logs//log.json",
                                  "logs/x/y/z/log.json", "ranks/../manifest.json", "ranks/.jsonl", "blobs/ab/cd" + "0" * 62, BLOB.upper(), BLOB + ".py", BLOB + "/x",
                                  "logs/" + "x" * 1000 + "/log.json", "C:/manifest.json", "file:///etc/passwd"])  # fmt: skip
def test_paths_that_no_bundle_has(path):
    assert not is_own(path)


@pytest.fixture
def bundle(tmp_path):
    (tmp_path / "x.log").write_bytes(log("artifact:a 0/0\n | text"))
    build(discover([tmp_path / "x.log"]), tmp_path / "out", jobs=1, codec="none")
    return tmp_path / "out"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x.log", "logs/x/../../manifest.json", "x.log", "file:///etc/passwd"]
)
def test_a_foreign_path_is_not_opened(path, bundle):
    (bundle / "x.log").write_text("{}")
    opened = Bundle.open(bundle)
    for call in (opened.raw, opened.read, opened.json):
        with pytest.raises(BundleError) as error:
            call(path)
        assert error.value.code == "bad-path"


def replace_by_link(path, tmp_path):
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")


def replace_by_link_inside(path, tmp_path):
    path.rename(path.with_name("0001.json"))
    path.symlink_to("0001.json")


def replace_by_folder(path, tmp_path):
    path.unlink()
    path.mkdir()


def replace_by_pipe(path, tmp_path):
    path.unlink()
    os.mkfifo(path)


def replace_by_socket(path, tmp_path):
    path.unlink()
    before = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(before)


def replace_by_device(path, tmp_path):
    path.unlink()
    path.symlink_to("/dev/zero")


ODD = [
    replace_by_link,
    replace_by_link_inside,
    replace_by_folder,
    replace_by_pipe,
    replace_by_socket,
    replace_by_device,
]


@pytest.mark.parametrize("replace", ODD)
@pytest.mark.parametrize("path", ["manifest.json", "logs/x/log.json", "logs/x/events.jsonl"])
def test_only_regular_files_are_read(replace, path, bundle, tmp_path):
    replace(bundle / path, tmp_path)
    with pytest.raises(BundleError, match="not a regular file"):
        list(Bundle.open(bundle).logs[0].events())


def test_no_folder_of_a_bundle_may_be_a_link(bundle, tmp_path):
    (bundle / "logs").rename(tmp_path / "logs")
    (bundle / "logs").symlink_to(tmp_path / "logs")
    with pytest.raises(BundleError, match="not a regular file") as error:
        Bundle.open(bundle).logs[0].directory  # noqa: B018
    assert error.value.code == "bad-file"


def test_the_bundle_itself_may_be_reached_by_links(bundle, tmp_path):
    (tmp_path / "latest").symlink_to(bundle)
    (tmp_path / "here").symlink_to(tmp_path)
    assert len(Bundle.open(tmp_path / "here" / "latest").logs[0].artifacts) == 1


def test_files_that_are_opened_are_closed(bundle, tmp_path):
    os.mkfifo(bundle / "pipe")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    read_regular(bundle, "logs/x/log.json", 1 << 20)
    for path in ("pipe", "logs", "logs/x/nothing", "nothing/x", "../x.log", "", "logs/x/log.json/y", "a\0b"):
        with pytest.raises(OSError):
            open_regular(bundle, path)
    with pytest.raises(NotRegular):
        open_regular(bundle, "pipe")
    with pytest.raises(OSError, match="more than"):
        read_regular(bundle, "logs/x/log.json", 5)
    assert before in (0, len(os.listdir("/proc/self/fd")))


def test_a_path_that_is_not_text_is_reported_in_a_sentence(bundle):
    for wrong in (5, None, [], {"a": 1}):
        traces.rewrite(bundle, "manifest.json", lambda m, wrong=wrong: m["logs"][0].update(path=wrong))
        with pytest.raises(BundleError):
            Bundle.open(bundle).logs[0].directory  # noqa: B018
