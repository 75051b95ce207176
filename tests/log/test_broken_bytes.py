"""Logs with broken bytes: cut, mangled, unusual line ends. log_of checks that each bundle is sound and
restores the log.
"""

import gzip

import pytest
import traces
import zstandard
from log_builder import log, raw_record, record
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.log import record_reader

PREFIX = b"V0401 12:00:00.000000 7 a.py:1] "


def payloads(it):
    return [event.bytes() for event in it.events()]


# ---- cut


def test_a_log_cut_in_the_envelope(log_of, found):
    data = log("a\n b\n | payload")
    cut = data[: data.index(b"has_payload")]
    it = log_of(cut)
    assert [event.type for event in it.events()] == ["a", "damaged_record"]
    assert found(it) == [("record-cut", 2, len(log("a")), 1)]


@pytest.mark.parametrize("missing", [1, 3, 9])
def test_a_log_cut_in_the_payload(missing, log_of, found):
    data = log("a\n b\n | payload\n | of two lines")
    it = log_of(data[:-missing])
    payload = b"payload\nof two lines"
    assert payloads(it) == [None, payload[: len(payload) + 1 - missing]]
    assert found(it) == ([] if missing == 1 else [("payload-md5", 2, len(log("a")), 1)])


@pytest.mark.parametrize("start", range(1, 8))
def test_many_ways_to_cut_a_small_log(start, log_of):
    data = log("a 0/0\n | one\n |\n | two\n b")
    for size in range(start, len(data), 9):
        it = log_of(data[:size])  # sound and restored
        assert it.row["event_count"] <= len(traces.scan(data))


def test_a_last_line_without_line_feed_is_a_record(log_of, found):
    it = log_of(log("a\n b")[:-1])
    assert [event.type for event in it.events()] == ["a", "b"] and found(it) == []


# ---- line ends


def test_a_log_with_windows_line_ends(log_of, found):
    it = log_of(log("a 0/0\n | first\n |\n | third\n b").replace(b"\n", b"\r\n"))
    assert payloads(it) == [b"first\n\nthird", None]
    assert [event.metadata for event in it.events()] == [{"a": {}}, {"b": {}}]
    assert found(it) == [("payload-line-ends", 1, 0, 1)]


def test_a_payload_with_line_ends_of_both_kinds_stays_as_it_is(log_of, found):
    it = log_of(record("a", payload="unix\nwindows\r\nmac\rend"))
    assert payloads(it) == [b"unix\nwindows\r\nmac\rend"] and found(it) == []


def test_a_windows_log_with_line_ends_in_the_payload(log_of):
    data = record("a", payload="lone\rcr\nend").replace(b"\n", b"\r\n")
    assert payloads(log_of(data)) == [b"lone\rcr\nend"]


def test_one_windows_line_end_in_a_payload(log_of, found):
    data = record("a", payload="one\ntwo").replace(b"two\n", b"two\r\n")
    it = log_of(data)
    assert payloads(it) == [b"one\ntwo"]
    assert [row[0] for row in found(it)] == ["payload-line-ends"]


@pytest.mark.parametrize(
    "text",
    [
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\u2028",
        "\u2029",
        "\x00",
        "\ufeff",
        "</script>",
        "\t",
        "\n",
        "",
        " ",
        "\r",
    ],
)
def test_odd_characters_in_a_payload_stay(text, log_of, found):
    it = log_of(record("a", payload=text) + record("b", payload=f"x{text}y"))
    assert payloads(it) == [text.encode(), f"x{text}y".encode()] and found(it) == []


# ---- text that is not a record


def test_blank_lines_between_records(log_of, found):
    it = log_of(log("a") + b"\n\n\r\n" + log("b"))
    assert [event.row["line"] for event in it.events()] == [1, 5]
    assert found(it) == [("blank-line", 2, len(log("a")), 3)]


def test_blank_lines_in_a_payload_are_left_out(log_of, found):
    data = record("a", payload="one\ntwo").replace(b"one\n", b"one\n\n\n") + log("b")
    it = log_of(data)
    assert payloads(it) == [b"one\ntwo", None]
    assert [event.row["line"] for event in it.events()] == [1, 6]
    assert found(it) == [("payload-blank-lines", 2, data.index(b"\t"), 2)]


def test_blank_lines_before_a_payload(log_of, found):
    it = log_of(record("a", payload="one").replace(b"\t", b"\n\n\t"))
    assert payloads(it) == [b"one"]
    assert [(code, count) for code, _, _, count in found(it)] == [("payload-blank-lines", 2)]


def test_blank_lines_after_a_payload_do_not_belong_to_it(log_of, found):
    it = log_of(record("a", payload="one") + b"\n\n" + log("b"))
    assert payloads(it) == [b"one", None]
    assert [(code, line, count) for code, line, _, count in found(it)] == [("blank-line", 3, 2)]


@pytest.mark.parametrize("data", [b"\n" * 50, b"\r\n" * 50, b"\n", b"\n\n\t\n"])
def test_a_log_of_nearly_nothing(data, log_of):
    assert log_of(data).row["event_count"] == 0


def test_text_before_between_and_after_records(log_of, found):
    a, b = log("a"), log("b")
    it = log_of(b"hello\nworld\n" + a + b"noise\n" + b + b"\tpayload of none\nend")
    assert [event.type for event in it.events()] == ["a", "b"]
    assert [row for row in found(it) if row[0] == "not-a-record"] == [
        ("not-a-record", 1, 0, 2),
        ("not-a-record", 4, 12 + len(a), 1),
        ("not-a-record", 7, 12 + len(a) + 6 + len(b) + 17, 1),
    ]


def test_a_record_inside_a_line_is_ignored(log_of):
    it = log_of(b"[rank0]:" + log("a") + b"\t" + log("b"))
    assert it.row["event_count"] == 0


def test_a_payload_line_that_looks_like_a_record_is_payload(log_of):
    inner = log("b").decode().rstrip("\n")
    it = log_of(record("a", payload=inner))
    assert payloads(it) == [inner.encode()]


def test_a_byte_order_mark_is_skipped(log_of, found):
    it = log_of(b"\xef\xbb\xbf" + log("a"))
    assert [(event.type, event.row["gap_bytes"]) for event in it.events()] == [("a", 3)]
    assert found(it) == [("byte-order-mark", 1, 0, 1)]


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 40,
        b"\x00" * 10_000,
        b"garbage without end " * 5_000,
        b"\xff\xfe" + "utf-16".encode("utf-16-le"),
    ],
)
def test_a_file_of_garbage_is_kept_and_reported(data, log_of, found):
    it = log_of(data)
    assert it.row["event_count"] == 0
    assert it.row["diagnostics"]["not-a-record"] >= 1


def test_a_file_that_is_not_a_trace_is_refused_unless_its_name_is_that_of_a_log(tmp_path):
    (tmp_path / "notes.txt").write_text("shopping list")
    with pytest.raises(BundleError, match="is not a TORCH_TRACE log"):
        discover([tmp_path / "notes.txt"])


def test_an_empty_file_beside_a_log(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_a.log").write_bytes(b"")
    (tmp_path / "dedicated_log_torch_trace_b.log").write_bytes(log("x"))
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    empty, _ = Bundle.open(tmp_path / "out").logs
    assert (empty.row["event_count"], empty.row["diagnostics"], empty.compiles) == (0, {"empty-log": 1}, [])
    assert traces.restore(empty) == b""


# ---- invalid UTF-8


def test_invalid_utf8_in_the_envelope(log_of, found):
    it = log_of(raw_record(b'{"a": {"text": "x\xff\xfey"}}'))
    assert [event.metadata for event in it.events()] == [{"a": {"text": "x\ufffd\ufffdy"}}]
    assert found(it) == [("text-invalid", 1, 0, 1)]


def test_invalid_utf8_in_the_payload(log_of, found):
    it = log_of(record("a", payload=b"x\xff\x00\xfe\ny"))
    assert payloads(it) == [b"x\xff\x00\xfe\ny"] and found(it) == []
    assert next(it.events()).text() == "x\ufffd\x00\ufffd\ny"


def test_a_lone_surrogate_becomes_a_replacement_character(log_of, found):
    it = log_of(raw_record(r'{"a": {"\ud800": "x\udfff", "whole": "\ud83d\ude00"}}'))
    assert [event.metadata for event in it.events()] == [{"a": {"\ufffd": "x\ufffd", "whole": "😀"}}]
    assert found(it) == [("text-invalid", 1, 0, 1)]


# ---- payload and MD5


@pytest.mark.parametrize("md5", ["0" * 32, "short", "../../evil", "<script>"])
def test_a_payload_with_the_wrong_md5_is_kept(md5, log_of, found):
    it = log_of(record("a", payload="text\nhere", md5=md5))
    (event,) = it.events()
    assert (event.text(), event.metadata) == ("text\nhere", {"a": {}, "has_payload": md5})
    assert found(it) == [("payload-md5", 1, 0, 1)]


def test_an_md5_in_capitals_is_different(log_of, found):
    it = log_of(record("a", payload="x", md5="9DD4E461268C8034F5C8564E155C67A6"))
    assert payloads(it) == [b"x"] and found(it) == [("payload-md5", 1, 0, 1)]


def test_an_announced_payload_that_is_missing(log_of, found):
    it = log_of(record("a", payload="x")[: -len("\tx\n")] + log("b"))
    assert payloads(it) == [None, None] and found(it) == [("payload-missing", 1, 0, 1)]


def test_an_empty_payload_without_a_line_is_empty(log_of, found):
    it = log_of(record("a", payload="")[: -len("\t\n")])
    assert payloads(it) == [b""] and found(it) == []


def test_a_payload_that_was_not_announced_is_kept(log_of, found):
    it = log_of(log("a") + b"\tnot announced\n")
    assert payloads(it) == [b"not announced"] and found(it) == [("payload-unannounced", 1, 0, 1)]


# ---- size and blocks


def test_a_payload_of_10_mb(log_of):
    line = b"0123456789abcdef" * 4095 + b"\n"
    payload = line * (10_000_000 // len(line)) + b"end"
    it = log_of(record("a", payload=payload) + log("b"))
    assert payloads(it) == [payload, None]


def test_a_million_line_feeds_and_then_a_payload(log_of, found):
    it = log_of(
        log("a").replace(b"{}", b'{}, "has_payload": "9dd4e461268c8034f5c8564e155c67a6"')
        + b"\n" * 1_000_000
        + b"\tx\n"
        + b"\n" * 1_000_000
    )
    assert payloads(it) == [b"x"]
    assert [(code, count) for code, _, _, count in found(it)] == [
        ("payload-blank-lines", 1_000_000),
        ("blank-line", 1_000_000),
    ]


@pytest.mark.parametrize("before", range(-3, 4))
def test_records_that_end_near_the_end_of_a_block(before, log_of, monkeypatch):
    head = record("a", payload="x" * 50 + "\n" + "y" * 50)
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", len(head) + before)
    assert payloads(log_of(head + head + log("b"))) == [b"x" * 50 + b"\n" + b"y" * 50] * 2 + [None]


def test_a_record_that_ends_with_the_real_block(log_of):
    record_bytes = len(record("a", payload=""))
    for size in (record_reader.BLOCK_BYTES - 1, record_reader.BLOCK_BYTES, record_reader.BLOCK_BYTES + 1):
        payload = b"z" * (size - record_bytes)
        assert payloads(log_of(record("a", payload=payload) + log("b"))) == [payload, None]


@pytest.mark.parametrize("block", [1, 2, 7, 64, 333])
@pytest.mark.parametrize("name", ["killed", "nonascii"])
def test_the_size_of_the_blocks_does_not_matter(name, block, root, built, tmp_path, monkeypatch):
    path = root / "fixtures" / name / "trace"
    expected = traces.files(built(path).folder)
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", block)
    build(discover([path]), tmp_path / "out", jobs=1)
    assert traces.files(tmp_path / "out") == expected


@pytest.mark.parametrize("block", range(1, 40))
def test_the_size_of_the_blocks_does_not_matter_for_a_broken_log(block, log_of, monkeypatch):
    data = (
        b"\xef\xbb\xbf\n"
        + log("a\n | one\n |\n | two\n > noise\n b\n c\n | x").replace(b"one\n", b"one\n\n\n")
        + b"\n\r\n\n"
        + PREFIX
        + b"{cut"
    )
    whole = log_of(data)
    monkeypatch.setattr(record_reader, "BLOCK_BYTES", block)
    again = log_of(data)
    assert [(e.row, e.metadata, e.bytes()) for e in again.events()] == [
        (e.row, e.metadata, e.bytes()) for e in whole.events()
    ]
    assert again.table("diagnostics") == whole.table("diagnostics")


# ---- compressed logs


@pytest.mark.parametrize(
    "ending,pack", [(".gz", gzip.compress), (".zst", zstandard.compress), (".log", gzip.compress)]
)
def test_a_compressed_log_is_read_whatever_its_name(ending, pack, tmp_path):
    data = log("a\n | payload")
    path = tmp_path / f"dedicated_log_torch_trace_x{ending}"
    path.write_bytes(pack(data[:40]) + pack(data[40:]))
    build(discover([path]), tmp_path / "out", jobs=1)
    (it,) = Bundle.open(tmp_path / "out").logs
    assert traces.restore(it) == data
    assert it.row["source"]["compression"] == ("zstd" if ending == ".zst" else "gzip")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_cut_compressed_log_is_an_error_and_leaves_nothing(pack, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(pack(log("a\n | payload") * 50)[:-9])
    with pytest.raises(BundleError, match="cannot be decompressed"):
        build(discover([path]), tmp_path / "out", jobs=1)
    assert sorted(tmp_path.iterdir()) == [path]
