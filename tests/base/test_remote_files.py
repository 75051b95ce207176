"""Files at URLs behave as local ones: reading, listing, writing; and what is refused."""

import pickle

import pytest

fsspec = pytest.importorskip("fsspec")

from plain_server import plain_server
from tlparse_bundle import BundleError
from tlparse_bundle.base.remote import OpenFile, RemoteFile, RemoteFolder, is_url


@pytest.fixture
def memory(tmp_path):
    """Return a URL of a folder in memory, which no other test uses."""
    url = f"memory://{tmp_path.name}"
    yield url
    if fsspec.filesystem("memory").exists(url):
        fsspec.filesystem("memory").rm(url, recursive=True)


def test_what_is_written_is_there_until_it_is_removed(memory):
    folder = RemoteFolder(memory + "/")
    assert folder.url == memory and not folder.exists("a/b")
    folder.write("a/b", b"one")
    folder.write("a/c/d", b"longer")
    folder.write("top", b"")
    assert folder.files() == {"a/b": 3, "a/c/d": 6, "top": 0}
    assert folder.folders() == ["a"] and RemoteFolder(memory + "/a").folders() == ["c"]
    assert folder.exists("a/b") and folder.read("a/b", 3) == b"one"
    assert (folder.info("a")["type"], folder.info("a/b")["size"]) == ("directory", 3)
    folder.remove("a/b")
    assert folder.files() == {"a/c/d": 6, "top": 0}


def test_reading_from_an_offset(memory, tmp_path):
    """A server that ignores ranges sends what is before, which is skipped."""
    data = bytes(range(256)) * 20
    RemoteFolder(memory).write("x", data)
    (tmp_path / "x").write_bytes(data)
    with plain_server(tmp_path) as url:
        for place in (memory, url):
            for start in (0, 1, 300, len(data) - 1, len(data)):
                with RemoteFolder(place).open_at("x", start) as file:
                    assert file.read(2) == data[start : start + 2] and file.read() == data[start + 2 :]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@example.org/logs", "https://example.org/logs"),
        ("s3://key:secret@bucket/logs", "s3://bucket/logs"),
        ("https://example.org/logs?signature=secret", "https://example.org/logs"),
        ("https://secret@example.org/logs", "https://example.org/logs"),
    ],
)
def test_an_address_with_a_password_is_refused_and_not_repeated(url, shown):
    with pytest.raises(BundleError, match="contains a password or a key") as raised:
        RemoteFolder(url)
    assert shown in raised.value.message and "secret" not in str(raised.value)
    assert raised.value.code == "credentials"


def test_a_user_without_a_password_may_be_in_the_address():
    assert RemoteFolder("memory://user@place/x").url == "memory://user@place/x"


def test_a_protocol_that_does_not_exist():
    with pytest.raises(BundleError, match="nonsense://a/b cannot be read: Protocol not known") as raised:
        RemoteFolder("nonsense://a/b")
    assert raised.value.code == "unreadable"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "a/%2e%2e/x", "a\\..\\x"])
def test_no_path_leads_out(memory, path):
    with pytest.raises(BundleError, match="points outside") as raised:
        RemoteFolder(memory).read(path, 10)
    assert raised.value.code == "bad-path"


def test_items_are_taken_in_order_and_the_first_error_is_raised(memory):
    seen = []

    def take(item):
        seen.append(item)
        if item == 3:
            raise OSError("three")

    RemoteFolder(memory).for_each(take, [1, 2])
    assert seen == [1, 2]
    with pytest.raises(OSError, match="three"):
        RemoteFolder(memory).for_each(take, [1, 3])


def test_a_file_is_used_as_a_path(memory):
    RemoteFolder(memory).write("x.log", b"0123456789")
    file = RemoteFile(f"{memory}/x.log")
    assert (file.name, str(file), file.stat().st_size) == ("x.log", f"{memory}/x.log", 10)
    assert file.stat().st_mtime > 1e9
    assert file == RemoteFile(file.url) == pickle.loads(pickle.dumps(file))
    assert file != RemoteFile(f"{memory}/y.log") and file != file.url
    assert len({file, RemoteFile(file.url)}) == 1
    assert file.resolve() is file.absolute() is file
    with file.open() as opened:
        assert isinstance(opened, OpenFile) and opened.read() == b"0123456789"
        assert opened.seek(4) == 4 and opened.read(2) == b"45"
    with file.open_at(8) as opened:
        assert opened.read() == b"89"


def test_a_file_without_a_size_is_not_read(memory, monkeypatch):
    file = RemoteFile(f"{memory}/x.log")
    monkeypatch.setattr(RemoteFolder, "info", lambda self, path: {"type": "file", "size": None})
    with pytest.raises(OSError, match="does not say its size"):
        file.stat()


def test_a_place_that_does_not_say_when_a_file_was_changed(memory, monkeypatch):
    RemoteFolder(memory).write("x.log", b"0")

    def refuse(self, path):
        raise NotImplementedError

    monkeypatch.setattr(RemoteFolder, "modified", refuse)
    assert RemoteFile(f"{memory}/x.log").stat() == (1, 0.0)


def test_errors_of_protocols_are_one_line(memory, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("x" * 400 + "\nsecond line")

    folder = RemoteFolder(memory)
    monkeypatch.setattr(folder._fs, "exists", fail)
    with pytest.raises(OSError) as raised:
        folder.exists("a")
    assert str(raised.value) == "RuntimeError: " + "x" * 300


def test_what_is_a_url():
    assert is_url("s3://a/b") and not is_url("/a/b") and not is_url("a:b")
