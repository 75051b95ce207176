"""Where a bundle may be written: a new place, or one that holds a bundle and nothing else."""

import os

import pytest

fsspec = pytest.importorskip("fsspec")

from log_builder import log
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.base.signals import finished_places
from tlparse_bundle.pipeline.target import folder_of, is_bundle, open_target, others_in, upload


@pytest.fixture
def logs(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(log("dynamo_start 0/0"))
    return discover([path])


@pytest.fixture
def memory(tmp_path):
    """Return the file system in memory, and a URL there that no other test uses."""
    return fsspec.filesystem("memory"), f"memory://targets/{tmp_path.name}"


def names(system, url):
    return sorted(path.partition("/targets/")[2].partition("/")[2] for path in system.find(url))


def test_a_bundle_at_a_url_is_complete_or_not_there(logs, memory):
    system, url = memory
    with pytest.raises(RuntimeError), open_target(url, overwrite=False) as target:
        target.write("logs/x/a", b"1")
        raise RuntimeError
    assert names(system, url) == []
    with (
        pytest.raises(BundleError, match="cannot be written: full") as raised,
        open_target(url, overwrite=False) as target,
    ):
        target.write("logs/x/a", b"1")
        raise OSError("full")
    assert raised.value.code == "unwritable" and names(system, url) == []
    with open_target(url, overwrite=False) as target:
        target.write("logs/x/a", b"12")
        target.write("manifest.json", b"{}")
        assert target.root == url and url not in finished_places
    assert target.size() == (2, 4) and url in finished_places


def test_a_bundle_at_a_url_is_replaced_only_if_asked(memory):
    system, url = memory
    for path in ("manifest.json", "logs/x/log.json"):
        system.pipe_file(f"{url}/{path}", b"{}")
    with pytest.raises(BundleError, match="already exists") as raised:
        open_target(url, overwrite=False)
    assert raised.value.code == "exists"
    with open_target(url, overwrite=True) as target:
        assert names(system, url) == []
        target.write("manifest.json", b"{}")
    assert names(system, url) == ["manifest.json"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_other_files_at_a_url_are_not_replaced(memory, overwrite):
    system, url = memory
    for number in range(7):
        system.pipe_file(f"{url}/notes{number}.txt", b"mine")
    with pytest.raises(BundleError, match=r"contains notes0\.txt, .*notes4\.txt\n"):
        open_target(url, overwrite=overwrite)
    system.pipe_file(f"{url}/manifest.json", b"{}")
    with pytest.raises(BundleError, match="already exists" if not overwrite else "contains notes0"):
        open_target(url, overwrite=overwrite)


def test_the_rest_of_a_bundle_at_a_url_is_replaced_only_if_asked(memory):
    """Its manifest was removed first."""
    system, url = memory
    system.pipe_file(f"{url}/logs/x/log.json", b"1")
    with pytest.raises(BundleError, match=r"contains logs/x/log\.json"):
        open_target(url, overwrite=False)
    with open_target(url, overwrite=True):
        assert names(system, url) == []


def test_uploading_a_folder(memory, tmp_path):
    system, url = memory
    system.pipe_file(f"{url}/blobs/a", b"there already")
    with folder_of(url) as folder:
        for path in ("blobs/a", "blobs/b", "logs/x"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(path.encode())
        assert names(system, url) == ["blobs/a"]
    assert {name: system.cat_file(f"{url}/{name}") for name in names(system, url)} == {
        "blobs/a": b"there already",
        "blobs/b": b"blobs/b",
        "logs/x": b"logs/x",
    }
    with folder_of(str(tmp_path)) as folder:
        assert folder == tmp_path
    upload(tmp_path / "nothing", url)


def test_a_folder_is_replaced_only_if_it_is_a_bundle_and_nothing_else(logs, tmp_path):
    out = tmp_path / "out"
    build(logs, out, jobs=1)
    with pytest.raises(BundleError, match="already exists"):
        open_target(out, overwrite=False)
    before = sorted(path.name for path in out.rglob("*"))
    with open_target(out, overwrite=True) as target:
        target.write("manifest.json", b"{}")
        target.write("logs/y/z", b"123")
    assert target.size() == (2, 5) and sorted(path.name for path in out.rglob("*")) != before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match="is not a bundle"):
        open_target(tmp_path / "other", overwrite=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BundleError, match="is not a bundle"):
        open_target(tmp_path / "file", overwrite=True)


def test_a_bundle_that_changes_meanwhile_is_not_replaced(logs, tmp_path):
    out = tmp_path / "out"
    build(logs, out, jobs=1)
    with (
        pytest.raises(BundleError, match="was changed by another process"),
        open_target(out, overwrite=True) as target,
    ):
        target.write("manifest.json", b"{}")
        (out / "manifest.json").write_bytes((out / "manifest.json").read_bytes() + b" ")
    assert is_bundle(out)


def test_what_is_not_part_of_a_bundle(logs, tmp_path):
    out = tmp_path / "out"
    build(logs, out, jobs=1)
    assert [*others_in(out)] == []
    (out / "notes.txt").write_text("mine")
    (out / "empty").mkdir()
    (out / "logs" / "link").symlink_to(tmp_path)
    os.symlink(tmp_path / "none", out / "manifest.json.part")
    assert {*others_in(out)} >= {"notes.txt", "empty/", "logs/link"}


@pytest.mark.parametrize("content", [b"{", b"{}", b"[]", b'{"format": {"name": "other"}}', b'{"format": 3}'])
def test_what_is_not_a_bundle(content, tmp_path):
    assert not is_bundle(tmp_path)
    (tmp_path / "manifest.json").write_bytes(content)
    assert not is_bundle(tmp_path)
