"""The same logs give the same bytes, whatever the number of workers, the order and the place."""

import random
import shutil

import pytest
import traces
from tlparse_bundle import build, discover


@pytest.fixture(params=["ranks4", "public"])
def folder(request, root):
    if request.param == "ranks4":
        return root / "fixtures" / "ranks4" / "trace"
    return request.getfixturevalue("shared_traces") / "multi_rank_runtime"


def made(logs, out, **options):
    build(logs, out, **options)
    return traces.files(out)


def test_two_builds_are_equal_whatever_the_workers_and_the_order(folder, tmp_path):
    logs = discover([folder])
    first = made(logs, tmp_path / "first", jobs=1)
    assert len(first) > 20
    assert made(logs, tmp_path / "again", jobs=1) == first
    assert made(logs, tmp_path / "workers", jobs=2) == first
    random.Random(1).shuffle(logs)
    assert made(logs[::-1], tmp_path / "order", jobs=2) == first


def test_the_order_of_the_paths_does_not_matter(folder, tmp_path):
    paths = sorted(folder.iterdir())
    assert discover(paths) == discover(paths[::-1])
    assert [(log.path, log.id) for log in discover(paths)] == [
        (log.path, log.id) for log in discover([folder])
    ]
    assert [log.id for log in discover([folder, *paths])] == [log.id for log in discover([folder])]


def test_the_place_of_the_logs_and_their_times_do_not_matter(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "elsewhere", copy_function=shutil.copyfile)
    expected = made(discover([folder]), tmp_path / "one", jobs=1)
    assert made(discover([tmp_path / "elsewhere"]), tmp_path / "two", jobs=1) == expected


@pytest.mark.parametrize("codec", ["gzip", "none"])
def test_other_codecs_too(codec, root, tmp_path):
    logs = discover([root / "fixtures" / "killed" / "trace"])
    assert made(logs, tmp_path / "one", jobs=1, codec=codec) == made(
        logs, tmp_path / "two", jobs=1, codec=codec
    )


def test_no_bundle_holds_a_path_or_a_time_of_this_machine(root, built, tmp_path):
    build(discover([root / "fixtures" / "killed" / "trace"]), tmp_path / "out", jobs=1, codec="none")
    for name, data in traces.files(tmp_path / "out").items():
        assert str(root).encode() not in data and str(tmp_path).encode() not in data, name
