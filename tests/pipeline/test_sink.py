"""Writing the files of a bundle."""

import gzip

import pytest
import zstandard
from tlparse_bundle.bundle.codecs import CODECS, codec_of
from tlparse_bundle.bundle.layout import blob_path, is_own, log_path
from tlparse_bundle.pipeline.file_writer import FileSink

DATA = b"some text " * 1000


@pytest.mark.parametrize(
    "codec,decode", [("zstd", zstandard.decompress), ("gzip", gzip.decompress), ("none", bytes)]
)
def test_files_and_blobs(codec, decode, tmp_path):
    sink = FileSink(tmp_path, CODECS[codec])
    path = sink.put(log_path("x", "a/b.json", sink.codec), DATA)
    own_path, sha256, size, stored = sink.put_blob(memoryview(DATA))
    assert decode((tmp_path / path).read_bytes()) == DATA and codec_of(path).name == codec
    assert own_path == blob_path(sha256, CODECS[codec])
    blob = (tmp_path / blob_path(sha256, CODECS[codec])).read_bytes()
    assert (decode(blob), size, stored) == (DATA, len(DATA), len(blob))
    assert all(
        is_own(str(file.relative_to(tmp_path))) or "a/b.json" in str(file)
        for file in tmp_path.rglob("*")
        if file.is_file()
    )


def test_an_equal_blob_is_written_once(tmp_path):
    sink = FileSink(tmp_path, CODECS["zstd"])
    rows = {sink.put_blob(DATA) for _ in range(20)}
    assert len(rows) == 1 and len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


def test_a_blob_of_one_log_has_a_path_of_its_own(tmp_path):
    sink = FileSink(tmp_path, CODECS["none"])
    path = log_path("x", "timeline/0000.json", sink.codec)
    for data in (DATA, DATA[1:]):  # the second time it exists, and is still written
        assert sink.put_blob(data, path)[2:] == (len(data), len(data))
        assert (tmp_path / path).read_bytes() == data
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


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
        return  # gzip decompresses no bytes to no bytes
    with pytest.raises(ValueError):
        CODECS[codec].decode(data)
