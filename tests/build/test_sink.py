"""Writing the files of a bundle."""

import gzip

import pytest
import zstandard
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.format.codecs import CODECS, codec_of
from tlparse_bundle.format.layout import blob_path, is_own, log_path

DATA = b"some text " * 1000


@pytest.mark.parametrize("codec,decode", [("zstd", zstandard.decompress), ("gzip", gzip.decompress), ("none", bytes)])
def test_files_and_blobs(codec, decode, tmp_path):
    row = []
    sink = FileSink(tmp_path, CODECS[codec])
    path = sink.put(log_path("x", "a/b.json", sink.codec), DATA)
    sink.put_blob(memoryview(DATA), row)
    assert decode((tmp_path / path).read_bytes()) == DATA and codec_of(path).name == codec
    sha256, size, stored, own_path = row
    assert own_path is None
    blob = (tmp_path / blob_path(sha256, CODECS[codec])).read_bytes()
    assert (decode(blob), size, stored) == (DATA, len(DATA), len(blob))
    assert all(is_own(str(file.relative_to(tmp_path))) or "a/b.json" in str(file) for file in tmp_path.rglob("*") if file.is_file())


def test_an_equal_blob_is_written_once(tmp_path):
    rows = [[] for _ in range(20)]
    sink = FileSink(tmp_path, CODECS["zstd"])
    for row in rows:
        sink.put_blob(DATA, row)
    assert rows.count(rows[0]) == 20 and len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_what_was_written_is_done_with(tmp_path):
    done = []
    sink = FileSink(tmp_path, CODECS["zstd"])
    for number in range(20):
        sink.put(f"logs/x/{number}.json.zst", DATA, lambda number=number: done.append((number, (tmp_path / f"logs/x/{number}.json.zst").exists())))
    sink.put_blob(DATA, [], None, lambda: done.append("blob"))
    assert done == [(number, True) for number in range(20)] + ["blob"]


@pytest.mark.parametrize("files", [1, 50])
def test_an_error_while_writing_is_raised(files, tmp_path):
    (tmp_path / "logs").write_text("a file where a folder should be")
    sink = FileSink(tmp_path, CODECS["zstd"])
    with pytest.raises(OSError):
        for number in range(files):
            sink.put(f"logs/{number}.json.zst", DATA)


def test_gzip_files_hold_no_time():
    assert CODECS["gzip"].encode(DATA)[4:8] == bytes(4)


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
@pytest.mark.parametrize("data", [b"", b"x", b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08", bytes(100)])
def test_damaged_data_is_a_value_error(codec, data):
    if codec == "gzip" and data == b"":
        return  # gzip takes nothing for nothing
    with pytest.raises(ValueError):
        CODECS[codec].decode(data)
