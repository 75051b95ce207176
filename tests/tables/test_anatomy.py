"""The bytes of a log by kind, place and compile."""

import pytest
import traces
from log_builder import log
from tlparse_bundle.tables import tally


def of_kind(cells, kind):
    return [cell for cell in cells if (cell["type"], cell["name"]) == (kind["type"], kind["name"])]


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_sums_are_those_of_the_other_tables(built, path):
    (it,) = built(path).logs
    kinds, origins, cells = (it.table(name) for name in ("kinds", "origins", "kind_compiles"))
    for kind in kinds:
        mine = of_kind(cells, kind)
        for name in ("event_count", "size_bytes", "payload_size_bytes"):
            assert sum(cell[name] for cell in mine) == kind[name]
        assert kind["distinct_payload_size_bytes"] <= kind["payload_size_bytes"] <= kind["size_bytes"]
    for row in (row for row in it.table("attempts") if row["compile"] is not None):
        mine = [
            cell for cell in cells if (cell["compile"], cell["attempt"]) == (row["compile"], row["attempt"])
        ]
        assert sum(cell["event_count"] for cell in mine) == row["event_count"]
        assert sum(cell["size_bytes"] for cell in mine) == row["size_bytes"]
    shared = ("type", "name", "descriptor", "language", "event_count", "size_bytes")
    assert [{name: kind[name] for name in shared} for kind in kinds] == it.directory["kinds"]
    assert list(dict.fromkeys(event.row["origin"] for event in it.events())) == [
        f"{origin['path']}:{origin['line']}" for origin in origins
    ]
    for name in ("event_count", "size_bytes", "payload_size_bytes"):
        assert sum(origin[name] for origin in origins) == sum(cell[name] for cell in cells)
    # A second opinion reads the log line by line. The public logs hold damaged payloads.
    if traces.ROOT / "fixtures" in path.parents:
        payloads = [payload for _, payload in traces.scan(path.read_bytes()) if payload is not None]
        assert sum(origin["payload_size_bytes"] for origin in origins) == sum(map(len, payloads))


def test_a_payload_counts_once_among_the_distinct_ones(log_of):
    """Three payloads of two kinds, two of them equal."""
    it = log_of(
        log("""
            artifact:one 0/0
                | equal
            artifact:other 0/0
                | equal
            artifact:other 1/0
                | different
        """)
    )
    assert [
        (kind["payload_size_bytes"], kind["distinct_payload_size_bytes"]) for kind in it.table("kinds")
    ] == [(5, 5), (14, 9)]
    assert [
        (cell["name"], cell["compile"], cell["attempt"], cell["payload_size_bytes"])
        for cell in it.table("kind_compiles")
    ] == [
        ("one", "0/0", 0, 5),
        ("other", "0/0", 0, 5),
        ("other", "1/0", 0, 9),
    ]
    assert [origin["event_count"] for origin in it.table("origins")] == [3]


def test_no_record(log_of):
    it = log_of(b"not a record\n")
    assert [it.table(name) for name in ("kinds", "origins", "kind_compiles")] == [[], [], []]


@pytest.mark.parametrize("turns", [1, 3, 40])
def test_compiles_that_take_turns(turns, log_of, monkeypatch):
    """Few compiles are counted in objects; numbers of the others are packed, and merged when there are many."""
    text = "".join(
        f"artifact:{name} {number}/0 @{rank}\n | {'x' * number}\n"
        for _ in range(turns)
        for number in range(5)
        for name, rank in (("a", 0), ("b", 1))
    )
    plain = log_of(log(text))
    monkeypatch.setattr(tally, "_MAX_OPEN", 2)
    monkeypatch.setattr(tally, "_MAX_PACKED", 2)
    merged = []
    merge = tally.Tally._merge
    monkeypatch.setattr(tally.Tally, "_merge", lambda self: (merged.append(len(self._packed)), merge(self)))
    it = log_of(log(text))
    for name in ("kinds", "origins", "kind_compiles", "attempts"):
        assert it.table(name) == plain.table(name)
    assert {key: it.directory[key] for key in ("kinds", "ranks")} == {
        key: plain.directory[key] for key in ("kinds", "ranks")
    }
    assert [row["event_count"] for row in it.table("attempts")] == [2 * turns] * 5
    assert merged and all(size < 15 for size in merged)


@pytest.mark.parametrize("still_open", [1, 4])
def test_a_log_that_is_followed(still_open, log_of, monkeypatch):
    """Before each state all but the newest compiles are packed, although some of them continue."""
    text = "".join(
        f"artifact:{name} {number}/0\n | {'x' * number}\n"
        for _ in range(3)
        for number in range(9)
        for name in "ab"
    )
    plain = log_of(log(text))
    monkeypatch.setattr(tally, "_WORTH_PACKING", 3)
    monkeypatch.setattr(tally, "_STILL_OPEN", still_open)
    packed = []
    add = tally.Tally.add

    def settling(self, kinds, compiles, rows):
        for number, row in enumerate(rows):
            add(self, kinds if not number else (), compiles if not number else (), [row])
            self.settle()
        packed.append(len(self._packed))

    monkeypatch.setattr(tally.Tally, "add", settling)
    it = log_of(log(text))
    for name in ("kinds", "origins", "kind_compiles", "attempts"):
        assert it.table(name) == plain.table(name)
    assert it.directory["kinds"] == plain.directory["kinds"]
    assert packed and packed[-1] > 9  # some were packed a second time
