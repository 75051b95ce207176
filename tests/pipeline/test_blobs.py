"""Payloads to blobs: packs, large payloads, the timeline, equal payloads."""

import json

import pytest
import traces
import zstandard
from log_builder import log, record, span
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.pipeline import blob_writer


def blob_rows(it):
    return [(row["sha256"], row["size_bytes"]) for row in it.table("blobs")]


def timeline(it):
    """Return the paths of the timeline's blobs."""
    return [path for path, row in it.blobs.items() if row["kind"] == "timeline"]


def test_payloads_of_one_kind_share_a_blob(log_of):
    it = log_of(
        b"".join(
            record(f"artifact:{name} {i}/0", payload=f"{name} {i}")
            for i in range(5)
            for name in ("one", "two")
        )
    )
    assert [size for _, size in blob_rows(it)] == [5 * 5, 5 * 5]
    assert it.bundle.blob(blob_rows(it)[0][0]) == b"one 0one 1one 2one 3one 4"
    assert [a.text() for a in it.artifacts if a.name == "two"] == [f"two {i}" for i in range(5)]


def test_a_large_payload_is_a_blob_of_its_own(log_of):
    large = "x" * blob_writer.LARGE_BYTES
    it = log_of(
        record("artifact:a", payload="small")
        + record("artifact:a", payload=large)
        + record("artifact:a", payload="little")
    )
    assert sorted(size for _, size in blob_rows(it)) == [11, blob_writer.LARGE_BYTES]
    assert [a.text() for a in it.artifacts] == ["small", large, "little"]


def test_a_pack_ends_when_it_is_full(log_of):
    payloads = [str(i).zfill(5) * (blob_writer.LARGE_BYTES // 6) for i in range(20)]
    it = log_of(b"".join(record("artifact:a", payload=payload) for payload in payloads))
    assert len(blob_rows(it)) > 1
    assert all(size < blob_writer.PACK_BYTES + blob_writer.LARGE_BYTES for _, size in blob_rows(it))
    assert [a.text() for a in it.artifacts] == payloads


def test_equal_payloads_are_stored_once(log_of):
    it = log_of(log("artifact:a 0/0\n | same\n artifact:b 1/0\n | same\n artifact:c\n | other"))
    first, second, third = it.artifacts
    assert first.sha256 == second.sha256 != third.sha256
    assert (first.row["blob"], first.row["offset"]) == (second.row["blob"], second.row["offset"])
    assert sum(size for _, size in blob_rows(it)) == len("same") + len("other")


def test_the_hash_is_that_of_the_payload_alone(log_of):
    alone = log_of(record("artifact:a", payload="text")).artifacts[0].sha256
    assert (
        log_of(record("artifact:a", payload="before") + record("artifact:z", payload="text"))
        .artifacts[1]
        .sha256
        == alone
    )


def test_an_empty_payload_is_a_payload(log_of):
    it = log_of(log("artifact:a\n |\n artifact:b"))
    assert [(a.bytes(), a.size_bytes) for a in it.artifacts] == [(b"", 0), (None, 0)]


def test_more_open_packs_than_memory_allows(log_of, monkeypatch):
    monkeypatch.setattr(blob_writer, "MAX_OPEN_BYTES", 50)
    names = [f"name{i % 7}" for i in range(50)]
    it = log_of(b"".join(record(f"artifact:{name}", payload=f"{name} {i}") for i, name in enumerate(names)))
    assert [a.text() for a in it.artifacts] == [f"{name} {i}" for i, name in enumerate(names)]


@pytest.mark.parametrize("repeated", [1, 2])
def test_names_do_not_create_files(repeated, log_of):
    """One log has a new name in each record, another cycles through all names."""
    names = [f"name{i}" for i in range(2000 // repeated)] * repeated
    it = log_of(b"".join(record(f"artifact:{name}", payload=f"{name} {i}") for i, name in enumerate(names)))
    assert [a.text() for a in it.artifacts] == [f"{name} {i}" for i, name in enumerate(names)]
    assert len(blob_rows(it)) == blob_writer.MAX_KINDS + 1


def test_kinds_beyond_the_first_share_packs(log_of, monkeypatch):
    monkeypatch.setattr(blob_writer, "MAX_KINDS", 2)
    it = log_of(
        b"".join(record(f"artifact:{name}", payload=f"{name}{i}") for i in range(3) for name in "abcd")
    )
    assert [it.blob(path) for path in it.blobs] == [b"a0a1a2", b"b0b1b2", b"c0d0c1d1c2d2"]


def test_the_timeline_is_made_of_json_arrays_in_order(log_of, monkeypatch):
    monkeypatch.setattr(blob_writer, "PACK_BYTES", 2000)
    it = log_of(b"".join(span(f"span {i}", "B", i) for i in range(100)))
    packs = [json.loads(it.blob(path)) for path in timeline(it)]
    assert len(packs) > 1 and all(packs)
    assert [event["name"] for pack in packs for event in pack] == [f"span {i}" for i in range(100)]
    assert [json.loads(event.bytes())["ts"] for event in it.events(type="chromium_event")] == list(range(100))


def test_the_timeline_of_every_fixture_is_json(built, root):
    for folder in sorted(root.glob("fixtures/*/trace")):
        for it in built(folder).logs:
            events = [e for path in timeline(it) for e in json.loads(it.blob(path))]
            assert len(events) == sum(
                kind["event_count"] for kind in it.directory["kinds"] if kind["type"] == "chromium_event"
            )
            assert all({"name", "ph", "ts"} <= event.keys() for event in events)


def test_equal_ranks_make_equal_blobs(tmp_path):
    data = b"".join(record(f"artifact:n{i % 3} 0/{i}", payload=f"payload {i}\n" * 2000) for i in range(60))
    for rank in range(4):
        (tmp_path / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(data)
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    tables = [it.blobs for it in Bundle.open(tmp_path / "out").logs]
    assert tables.count(tables[0]) == 4
    assert len(list((tmp_path / "out" / "blobs").rglob("*.zst"))) == len(tables[0])


def test_timelines_are_in_the_folder_of_their_log(built, root):
    bundle = built(root / "fixtures" / "ranks4" / "trace")
    for it in bundle.logs:
        own = [path for path in it.blobs if not path.startswith("blobs/")]
        assert own == timeline(it) == [f"logs/{it.id}/timeline/0000.json.zst"]
        shared = [
            path
            for path in traces.files(bundle.folder)
            if path.startswith("blobs/") and it.blobs[own[0]]["sha256"] in path
        ]
        assert shared == []


def test_equal_graphs_of_real_ranks_have_equal_hashes(built, root):
    logs = built(root / "fixtures" / "ranks4" / "trace").logs
    graphs = [
        [a.sha256 for a in it.compile("0/0").artifacts if a.name == "dynamo_output_graph"] for it in logs
    ]
    assert graphs.count(graphs[0]) == 4


@pytest.mark.parametrize("codec,suffix", [("zstd", ".zst"), ("gzip", ".gz"), ("none", "")])
def test_every_codec_stores_the_same(codec, suffix, log_of):
    it = log_of(
        log('artifact:a 0/0\n | text\n chromium_event\n | {"name": "x", "ph": "i", "ts": 1}'), codec=codec
    )
    assert it.artifacts[0].text() == "text"
    stored = [
        path.name for path in it.bundle.folder.rglob("*") if path.is_file() and path.name != "manifest.json"
    ]
    assert all(name.endswith(suffix) for name in stored) and (
        suffix or not any(name.endswith((".zst", ".gz")) for name in stored)
    )


def test_browsers_can_decode_every_zstd_file(log_of):
    """Content size present, and no window above 2**23, because Chromium refuses larger ones as a content
    encoding.
    """
    payload = bytes(i * i % 251 for i in range(1 << 16)) * 200  # 13 MB
    it = log_of(record("artifact:a", payload=payload.replace(b"\n", b" ")) + log("b"))
    stored = list(it.bundle.folder.rglob("*.zst"))
    assert len(stored) > 5
    for path in stored:
        frame = zstandard.get_frame_parameters(path.read_bytes())
        assert frame.window_size <= 1 << 23 or frame.content_size <= 1 << 23
        assert frame.content_size == len(zstandard.decompress(path.read_bytes()))
