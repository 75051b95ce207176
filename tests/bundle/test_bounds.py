"""Files of a bundle that claim, or expand to, more than allowed: refused before memory is allocated."""

import gzip
import struct
import tracemalloc

import pytest
import zstandard
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle import store
from tlparse_bundle.bundle.codecs import CODECS, MAX_FILE_BYTES

MB = 1 << 20
CLAIMS_A_TB = (
    b"\x28\xb5\x2f\xfd" + b"\xe0" + struct.pack("<Q", 1 << 40) + b"\x01\x00\x00" + b"\0\0"
)  # 18 bytes


def memory(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("size", [0, 1, 3 * MB + 7])
def test_data_within_the_bound_is_decoded(name, size):
    codec, data = CODECS[name], bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    stored = codec.encode(data)
    assert codec.decode(stored, size) == data == b"".join(codec.decode_pieces(stored, size))
    assert codec.decode(stored) == data
    assert len(stored) <= codec.max_stored_bytes(size)


@pytest.mark.parametrize("name", CODECS)
def test_data_beyond_the_bound_is_refused(name):
    codec = CODECS[name]
    stored = codec.encode(b"x" * (3 * MB))
    for max_bytes in (0, 2 * MB, 3 * MB - 1):
        with pytest.raises(ValueError, match=f"more than {max_bytes:,} bytes"):
            codec.decode(stored, max_bytes)
        with pytest.raises(ValueError, match=f"more than {max_bytes:,} bytes"):
            list(codec.decode_pieces(stored, max_bytes))


def test_a_claim_takes_no_memory():
    def refused(decode):
        with pytest.raises(ValueError, match="more than"):
            list(decode(CLAIMS_A_TB, MAX_FILE_BYTES))

    assert len(CLAIMS_A_TB) == 18
    assert memory(lambda: refused(CODECS["zstd"].decode)) < MB
    assert memory(lambda: refused(CODECS["zstd"].decode_pieces)) < MB


def test_a_bomb_is_stopped_at_the_bound():
    bomb = gzip.compress(b"\0" * (200 * MB)) + gzip.compress(b"small at its end")

    def refused():
        with pytest.raises(ValueError, match="more than"):
            CODECS["gzip"].decode(bomb, 2 * MB)

    assert memory(refused) < 8 * MB


def test_pieces_stay_small():
    for codec in (CODECS["zstd"], CODECS["gzip"]):
        stored = codec.encode(b"\0" * (64 * MB))
        assert (
            memory(lambda codec=codec, stored=stored: [None for _ in codec.decode_pieces(stored, 64 * MB)])
            < 12 * MB
        )


@pytest.mark.parametrize("name", ["zstd", "gzip"])
def test_damaged_data_are_an_error(name):
    codec = CODECS[name]
    stored = codec.encode(bytes(range(256)) * 5000)
    for damaged in (
        stored[: len(stored) // 2],
        stored[:-3],
        stored[:3],
        b"",
        b"nonsense" * 9,
        stored + b"more",
    ):
        with pytest.raises(ValueError, match=r"not|more than"):
            codec.decode(damaged, 9 * MB)
        if damaged != stored + b"more" or name == "gzip":
            with pytest.raises(ValueError, match=r"not|more than"):
                list(codec.decode_pieces(damaged, 9 * MB))


def test_a_frame_that_does_not_say_its_size_is_refused():
    frame = zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 1000)
    with pytest.raises(ValueError, match="does not say its size"):
        CODECS["zstd"].decode(frame)


@pytest.fixture
def bundle(tmp_path):
    (tmp_path / "x.log").write_bytes(log("artifact:a 0/0\n | text"))
    build(discover([tmp_path / "x.log"]), tmp_path / "out", jobs=1)
    return tmp_path / "out"


@pytest.mark.parametrize("claims", [True, False])
def test_a_table_bomb_is_reported_in_a_sentence(claims, bundle):
    content = (
        CLAIMS_A_TB if claims else zstandard.ZstdCompressor().compress(b" " * (store.MAX_JSON_BYTES + 1))
    )
    (bundle / "logs/x/artifacts.jsonl.zst").write_bytes(content)

    def refused():
        with pytest.raises(BundleError, match=r"artifacts\.jsonl\.zst is damaged: it holds more") as error:
            Bundle.open(bundle).logs[0].table("artifacts")
        assert error.value.code == "damaged"

    assert memory(refused) < 2 * MB


def test_a_file_that_is_larger_than_allowed_is_not_read(bundle):
    """The file is sparse, otherwise it would take 4 GB."""
    with open(bundle / "logs/x/artifacts.jsonl.zst", "wb") as file:
        file.truncate(4 << 30)

    def refused():
        with pytest.raises(BundleError, match="4,294,967,296 bytes, more than"):
            Bundle.open(bundle).logs[0].table("artifacts")

    assert memory(refused) < 2 * MB


@pytest.mark.parametrize("text", [b"[" + b"1," * (17 << 20) + b"1]", b"[" + b"[]," * (9 << 20) + b"1]"])
def test_a_table_of_too_many_values_is_reported_in_a_sentence(text, bundle):
    (bundle / "logs/x/artifacts.jsonl.zst").write_bytes(CODECS["zstd"].encode(text))
    opened = Bundle.open(bundle)

    def refused():
        with pytest.raises(BundleError, match="more values than"):
            opened.logs[0].table("artifacts")

    assert memory(refused) < 40 * MB


@pytest.mark.parametrize(
    ("path", "damage", "ask", "problem"),
    [
        ("artifacts.jsonl", lambda data: b"{", lambda it: it.artifacts, "is not JSON"),
        (
            "blobs.jsonl",
            lambda data: data.replace(b'"sha256":"', b'"sha256":"8'),
            lambda it: it.artifacts[0].bytes(),
            "sha256",
        ),
        (
            "log.json",
            lambda data: data.replace(b'"event_count":', b'"event_count":1'),
            lambda it: it.compiles,
            "the files of events have events up to",
        ),
        (
            "log.json",
            lambda data: data.replace(b'"event_count":1', b'"event_count":2').replace(
                b'"rows":1,"first_event"', b'"rows":2,"first_event"'
            ),
            lambda it: list(it.events()),
            "it has 1 rows instead of 2",
        ),
        (
            "../../blobs",
            lambda data: data[:-1] + b"!",
            lambda it: it.artifacts[0].bytes(),
            "hash of its content differs",
        ),
    ],
    ids=["JSON", "schema", "directory", "chunk", "blob"],
)
def test_damage_is_detected_once(path, damage, ask, problem, tmp_path, monkeypatch):
    """A small file that unpacks to much is slow only the first time."""
    (tmp_path / "x.log").write_bytes(log("artifact:a 0/0\n | text"))
    build(discover([tmp_path / "x.log"]), tmp_path / "out", jobs=1, codec="none")
    file = tmp_path / "out" / "logs" / "x" / path
    if file.is_dir():
        file = next(each for each in file.resolve().rglob("*") if each.is_file())
    data = file.read_bytes()
    file.write_bytes(damage(data))
    assert file.read_bytes() != data
    it = Bundle.open(tmp_path / "out").logs[0]
    with pytest.raises(BundleError, match=problem) as first:
        ask(it)
    reads = []
    monkeypatch.setattr(store, "read", lambda _, name, *__: reads.append(name) or data)
    for _ in range(3):
        with pytest.raises(BundleError, match=problem) as later:
            ask(it)
    assert later.value is first.value and not any(file.match(name) for name in reads)


def test_a_bundle_releases_its_memory(bundle):
    """When thousands of logs are compared in turn, memory of one must not wait for the garbage collector."""
    opened = Bundle.open(bundle)
    (it,) = opened.logs
    first = it.artifacts
    texts = [artifact.bytes() for artifact in first]
    list(it.events())
    opened.forget()
    assert not {"artifacts", "directory", "blobs"} & set(vars(it))
    assert it.artifacts is not first and [artifact.bytes() for artifact in it.artifacts] == texts
