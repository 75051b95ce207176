"""Following logs in tests: writing piece by piece, the resulting states, and fresh builds of the same bytes."""

import itertools
import json
from contextlib import closing
from pathlib import Path

from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.follow import Follower, state
from tlparse_bundle.log.discover import _log_file, discover
from tlparse_bundle.log.log_file import open_log
from tlparse_bundle.pipeline.build import build

NAME = "dedicated_log_torch_trace_rank_0_x.log"


def without_gaps(monkeypatch):
    """Write states without pauses."""
    monkeypatch.setattr(state, "_SHOWN_S", 0.0)
    monkeypatch.setattr(state, "_LEAST_GAP_S", 0.0)
    monkeypatch.setattr(state, "_GAP", 0.0)


def follow(traces, out, steps, *, on_state=lambda manifest: None, **options):
    """Follow and run each of ``steps`` once a state has everything written before.

    Returns the result of the follower.
    """
    steps = iter(steps)
    seen = {}

    def ended():
        if seen.get("waits"):
            manifest = seen.get("manifest")
            if (
                manifest is None
                or any(
                    row["read_bytes"] < seen["sizes"].get(row["id"], 0) for row in manifest["live"]["logs"]
                )
                or len(manifest["logs"]) < len(seen["sizes"])
            ):
                return False
        step = next(steps, None)
        if step is None:
            return True
        step()
        seen["sizes"] = {log.id: log.size_bytes for log in _there(traces)}
        seen["waits"] = True
        return False

    def keep(manifest):
        seen["manifest"] = manifest
        on_state(manifest)

    return Follower(traces, out, **options).run(ended, keep)


def _there(traces):
    try:
        return discover(traces)
    except Exception:
        return []


def appending(path, data, cuts):
    """Return steps that append the data in pieces that end at the cuts."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def step(piece):
        def write():
            with path.open("ab") as file:
                file.write(piece)

        return write

    places = sorted({0, *cuts, len(data)})
    return [step(data[one:other]) for one, other in itertools.pairwise(places)]


def content_of(log):
    """Return the uncompressed bytes of a log."""
    with closing(open_log(log)) as stream:
        return stream.read(1 << 30)


def snapshot(folder):
    """Return all files below, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


def fresh(data, folder, name=NAME, codec="none"):
    """Build a fresh bundle of a log with these bytes."""
    folder.mkdir(parents=True)
    (folder / name).write_bytes(data)
    return build([_log_file(folder / name)], folder / "out", jobs=1, codec=codec).path


def same_as_fresh(out, data_of, folder):
    """Compare all tables, chunks and payloads of a state with fresh builds of the bytes that it has read."""
    bundle = Bundle.open(out)
    assert validate(bundle) == []
    for row in bundle.manifest["logs"]:
        other = Bundle.open(
            fresh(
                data_of(row)[: row["source"]["size_bytes"]],
                folder / f"{bundle.manifest['live']['counter']} {row['id']}",
                row["source"]["name"],
            )
        )
        log, expected = bundle.log(row["id"]), other.logs[0]
        assert {**row, "path": ""} == {**expected.row, "path": ""}
        assert facts_of(log) == facts_of(expected)


def facts_of(log):
    """Return the facts of a log without its location."""
    directory = json.loads(json.dumps(log.directory))
    chunks = [(chunk, log.bundle.read(chunk.pop("path"))) for chunk in directory.pop("verbatim")]
    numbers = {path: number for number, path in enumerate(log.blobs)}
    rows = {
        name: [{**row, "blob": numbers.get(row["blob"])} if "blob" in row else row for row in log.table(name)]
        for name in directory.pop("tables")
        if name != "blobs"
    }
    blobs = [(row["sha256"], log.blob(path)) for path, row in log.blobs.items()]
    return directory, chunks, rows, blobs
