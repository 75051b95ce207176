"""Packed lists and numbers return what was added, for any contents and sizes."""

import gc
import json
import random
import sys
import tempfile
import tracemalloc
from array import array

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.log.json_text import json_to_keep
from tlparse_bundle.pipeline.file_writer import encoded_pieces
from tlparse_bundle.tables import rows, spill
from tlparse_bundle.tables.rows import JsonList, Rows
from tlparse_bundle.tables.spill import Numbers, Packs

ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda items: st.lists(items, max_size=3) | st.dictionaries(st.text(), items, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module", autouse=True)
def small_packs():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_PACK_BYTES", 40)
        patch.setattr(rows, "_BATCH", 3)
        patch.setattr(spill, "_PACK_BYTES", 40)
        yield


def text(array):
    return b"".join(array.pieces())


@given(st.lists(st.tuples(st.booleans(), st.lists(ITEMS, max_size=8)), max_size=5))
@cases(60)
def test_items_come_back_unchanged(calls):
    array, expected = JsonList(), []
    for together, items in calls:
        if together:
            array.extend(iter(items))
        else:
            for item in items:
                array.append(item)
        expected += items
    assert json.loads(text(array)) == list(array) == expected
    assert [array[number] for number in reversed(range(len(array)))] == expected[::-1]
    assert all(list(array.since(number)) == expected[number:] for number in range(len(array) + 1))
    assert len(array) == len(expected) and array.size_bytes == len(text(array))


def test_an_item_that_changes_later_does_not_change_the_list():
    array, row = JsonList(), {"a": 1}
    array.append(row)
    row["a"] = 2
    assert list(array) == [{"a": 1}]


def held_bytes(make):
    """Return a function's result, and how much memory it holds."""
    tracemalloc.start()
    try:
        made = make()
        return made, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_its_memory_does_not_grow(monkeypatch):
    monkeypatch.setattr(rows, "_PACK_BYTES", 64 << 10)
    array, size_bytes = held_bytes(
        lambda: JsonList({"name": "triton_poi_fused_add_0", "number": number} for number in range(100_000))
    )
    assert size_bytes < 200_000 < array.size_bytes / 20
    assert len(list(array)) == 100_000


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 10])
def test_files_of_rows(count, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_PER_FILE", 4)
    table = Rows()
    for number in range(count):
        table.append({"a": number, "blob": number % 2})
    files = [
        (size, [json.loads(line) for line in b"".join(pieces).splitlines()])
        for size, pieces in table.files(["x", "y"])
    ]
    assert (
        [size for size, _ in files]
        == [len(lines) for _, lines in files]
        == [4] * (count // 4) + [count % 4] * (count % 4 > 0)
    )
    assert [row for _, lines in files for row in lines] == [
        {"a": number, "blob": "xy"[number % 2]} for number in range(count)
    ]


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
@pytest.mark.parametrize(
    "table",
    [
        [{}],
        [{"a": []}],
        [{"a": number, "b": {"c": [1], "d": {}}, "e": "text " * 100} for number in range(1000)],
        [{'é"': "é\n"}],
    ],
    ids=["empty", "plain", "large", "text"],
)
def test_the_file_of_a_table(table, codec):
    ((count, pieces),) = Rows(table).files()
    data = b"".join(encoded_pieces(pieces, codec))
    lines = codec.decode(data)
    assert (
        count == len(table)
        and lines.endswith(b"\n")
        and [json.loads(line) for line in lines.splitlines()] == table
    )
    if codec.name == "zstd":  # readers reserve memory before they start
        assert zstandard.frame_content_size(data) == len(lines)


@given(
    st.sampled_from("iqd").flatmap(
        lambda code: st.tuples(
            st.just(code), st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8), max_size=20)
        )
    )
)
@cases(60)
def test_numbers(case):
    code, calls = case
    column, expected = Numbers(code), array(code)
    for added in calls:
        if len(added) == 1:
            column.append(added[0])
        else:
            column.extend(added)
        expected.extend(added)
    assert column.whole() == expected and len(column) == len(expected)
    assert column.whole().typecode == code


def test_the_memory_of_numbers_does_not_grow(monkeypatch):
    monkeypatch.setattr(spill, "_PACK_BYTES", 16 << 10)

    def make():
        column = Numbers("q")
        for number in range(300_000):
            column.append(1_700_000_000_000_000 + 40 * number)
        return column

    column, size_bytes = held_bytes(make)
    assert size_bytes < 100_000
    assert list(column) == list(range(1_700_000_000_000_000, 1_700_000_012_000_000, 40))


def packs_of(count):
    data = [random.Random(number).randbytes(5000) for number in range(count)]
    packs = Packs()
    for piece in data:
        packs.append(piece)
    return data, packs


@pytest.mark.parametrize("count", [0, 1, 6, 7, 50], ids=lambda count: f"{5 * count} kB")
def test_packs_in_memory_and_in_a_file(count):
    data, packs = packs_of(count)
    assert list(packs) == data and len(packs) == count
    assert all(packs[number] == data[number] for number in reversed(range(count)))
    packs.append(b"more")  # after the part that was read
    assert packs[count] == b"more" and list(packs)[:-1] == data


def test_nothing_is_left_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _, packs = packs_of(50)
    assert list(tmp_path.iterdir()) == []
    del packs
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(BundleError, match="none' cannot be written: No such file") as caught:
        packs_of(50)
    assert caught.value.code == "unwritable" and "TMPDIR" in caught.value.hint


def test_no_folder_for_temporary_files(monkeypatch):
    def nowhere():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    with pytest.raises(BundleError, match="temporary files cannot be written: No usable"):
        packs_of(50)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("limit_bytes", [10_000, 100_000], ids=["when the file begins", "later"])
def test_a_file_that_cannot_grow(limit_bytes, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a part of it would stay
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, before[1]))
    try:
        with pytest.raises(BundleError, match=r"(?s)cannot be written: File too large.*TMPDIR") as caught:
            packs_of(50)
        code = caught.value.code
        del caught
        gc.collect()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == "unwritable"


def test_json_that_is_kept_takes_no_more_room_than_it_has():
    """orjson writes into a buffer that doubles, and returns all of it."""
    value = {"text": "x" * 3000}
    tracemalloc.start()
    try:
        kept = [json_to_keep(value) for _ in range(100)]
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert json.loads(kept[0]) == value
    assert size_bytes < 1.2 * sum(map(len, kept))
