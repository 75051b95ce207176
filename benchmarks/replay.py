"""Replay a log while pages follow it, and compare what they show with a fresh build of the same bytes.

    python benchmarks/replay.py LOG... [--pace own|10|20MB/s ...] [--at-most 60] [--each 1]

Writes the log at its recorded pace, ten times as fast, and at 20 MB/s, in pieces that end anywhere. Findings,
compiles and the timeline are each open in a page and checked every second. Afterwards the bundle is compared
with a build of the log, byte for byte. A log that takes longer than --at-most seconds at a pace is cut. Exits
with 1 when something differs.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from page_clock import visited  # must come before the imports below, which it makes possible

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "tests" / part) for part in ("", "web")]
from replayed import NAME, Fresh, Replay, pieces, watched_replay
from tlparse_bundle import build, discover
from tlparse_bundle.serve.http.app import create_app


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", type=Path, nargs="+")
    parser.add_argument("--pace", nargs="+", default=["own", "10", "20MB/s"])
    parser.add_argument("--at-most", type=float, default=60)
    parser.add_argument("--each", type=float, default=1, help="seconds between two looks at the pages")
    arguments = parser.parse_args()
    wrong = 0
    for log in arguments.logs:
        for pace in arguments.pace:
            wrong += replayed(log, pace, arguments.at_most, arguments.each)
    sys.exit(bool(wrong))


def replayed(log, name, at_most_s, each_s):
    """Return how many samples differ."""
    pace = (
        -1e6 * float(name.removesuffix("MB/s"))
        if name.endswith("MB/s")
        else 1.0
        if name == "own"
        else float(name)
    )
    data = log.read_bytes()
    data = data[
        : max((end for seconds, end in pieces(data, pace) if seconds <= at_most_s), default=len(data))
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        visited(lambda: create_app({"run": Path(folder)})) as (browser, address),
    ):
        replay = Replay(Path(folder), data, pace)

        def open_page(bundle, hash):
            page = browser.new_page()
            page.goto(f"{address}/viewers/default/?bundle=/bundles/run/{bundle.name}/{hash}")
            return page

        samples = watched_replay(replay, open_page, each_s=each_s)
        fresh = Fresh(replay, open_page)
        differing = [
            (seconds, view, state, shown, fresh.shows(state, view))
            for seconds, view, state, shown, _ in samples
            if fresh.shows(state, view) != shown
        ]
        whole = Path(folder, "whole", NAME)
        whole.parent.mkdir()
        whole.write_bytes(data)
        build(discover([whole]), Path(folder, "built"), codec="none")
        same = _files(replay.out) == _files(Path(folder, "built"))
    late = [late for *_, late in samples]
    took = replay.written[-1][0] - replay.written[0][0]
    print(
        f"{log.name} {name}: {len(data) / 1e6:.1f} MB in {took:.1f} s, {len(replay.states)} states;"
        f" {len(samples)} samples of pages, {len(differing)} differ from a fresh build; a page lacks bytes"
        f" for {max(late, default=0):.1f} s at most, {sorted(late)[len(late) // 2] if late else 0:.1f} s in"
        f" the middle; the bundle is {'that' if same else 'NOT that'} of a build",
        flush=True,
    )
    for seconds, view, state, shown, wanted in differing[:3]:
        print(f"  after {seconds:.1f} s, state {state}, {view}: {_first_difference(shown, wanted)}")
    return len(differing) + (not same)


def _first_difference(shown, wanted):
    place = next(
        (n for n, (one, other) in enumerate(zip(shown, wanted, strict=False)) if one != other),
        min(len(shown), len(wanted)),
    )
    return f"{len(shown)} and {len(wanted)} rows; {shown[place:][:1]} is shown, {wanted[place:][:1]} is so"


def _files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    main()
