"""Replay a log while pages follow it, and compare them with fresh builds of the same bytes."""

import json
import random
import re
import subprocess
import sys
import threading
import time
from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

from tlparse_bundle import build, discover
from waiting import until

NAME = "dedicated_log_torch_trace_replayed.log"
PREFIX = re.compile(rb"^[VIWE]\d{4} (\d\d):(\d\d):(\d\d)\.(\d{6}) ", re.MULTILINE)
PROGRAM = """
import json, select, sys
from tlparse_bundle.follow import Follower
def on_state(manifest):
    sizes = [(log["source"]["size_bytes"], live["read_bytes"]) for log, live in zip(manifest["logs"], manifest["live"]["logs"])]
    print(json.dumps([manifest["live"]["counter"], *(sizes or [(0, 0)])[0]]), flush=True)
Follower([sys.argv[1]], sys.argv[2], codec="none").run(lambda: bool(select.select([sys.stdin], [], [], 0)[0]), on_state)
"""
VIEWS = ("overview", "compiles", "timeline")
# Contents of a page: the titles of findings, the rows of compiles, the spans and their table. Without the
# parts specific to growing logs.
SHOWN = """(view) => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent);
  if (view === "overview") return texts(".findings article h2, .findings article h3").filter((title) => !title.includes("did not end"));
  const rows = texts("main [role=row], main tr").filter((row) => !/running|unfinished|no end|did not end/.test(row));
  return view === "compiles" ? [document.querySelector("main [role=grid]")?.getAttribute("aria-rowcount") ?? "", ...rows] : [...texts("main h1"), document.querySelector("[aria-label^=Timeline]")?.ariaLabel ?? "", ...rows];
}"""
TAKE = f"""(view) => {{
  const mark = document.querySelector(".live"), state = mark?.dataset.state ?? "";
  return {{ state, how: mark?.dataset.how === "finished" ? "finished" : state ? "shown" : "showing", shown: ({SHOWN})(view) }};
}}"""
# Wide enough for one line per row in any state: a log that still grows has shorter texts than a fresh build.
_WINDOW = {"width": 1920, "height": 1080}
_PIECE_BYTES = 60_000
_PIECE_S = 0.02


def times_of(data):
    """Return (position, seconds after the first) of each record."""
    found = [
        (match.start(), sum(int(match[n]) * unit for n, unit in ((1, 3600), (2, 60), (3, 1), (4, 1e-6))))
        for match in PREFIX.finditer(data)
    ]
    first = found[0][1]
    return [(place, (seconds - first) % 86400) for place, seconds in found]


def pieces(data, pace, seed=1):
    """Return (seconds, end) of pieces, which end anywhere.

    ``pace``: how much faster than recorded; or bytes per second, as a negative number.
    """
    rng, at, moments = random.Random(seed), 0, times_of(data)
    places = [place for place, _ in moments]
    while at < len(data):
        end = min(len(data), at + rng.randrange(1, _PIECE_BYTES))
        seconds = end / -pace if pace < 0 else moments[max(0, bisect_right(places, end - 1) - 1)][1] / pace
        yield seconds, end
        at = end


class Replay:
    """``written``: (when, how much) was written; ``states``: the contents of each state by its counter:
    (bytes in it, bytes read).
    """

    def __init__(self, folder: Path, data: bytes, pace: float):
        self.folder, self.data, self.pace = folder, data, pace
        self.out = folder / "out"
        self.path = folder / "logs" / NAME
        self.path.parent.mkdir()
        self.written, self.states = [(time.monotonic(), 0)], {}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.path.parent), str(self.out)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._writer = threading.Thread(target=self._write)

    def follow(self):
        """Start following; the bundle has no log yet."""
        self._reader.start()
        until((self.out / "manifest.json").exists)

    def write(self):
        self.written[0] = time.monotonic(), 0
        self._writer.start()

    def _read(self):
        for line in self._process.stdout:
            counter, size_bytes, read_bytes = json.loads(line)
            self.states[str(counter)] = size_bytes, read_bytes

    def _write(self):
        begun, last = time.monotonic(), 0
        todo = list(pieces(self.data, self.pace))
        with self.path.open("ab", buffering=0) as file:
            for (seconds, end), following in pairwise([*todo, None]):
                if following and following[0] - seconds < _PIECE_S and end - last < _PIECE_BYTES:
                    continue
                time.sleep(max(0.0, begun + seconds - time.monotonic()))
                file.write(self.data[last:end])
                last = end
                self.written.append((time.monotonic(), end))

    @property
    def writing(self):
        return self._writer.is_alive()

    def end(self):
        """Finish the log, and then the bundle."""
        self._writer.join()
        self._process.stdin.close()
        self._reader.join()
        assert self._process.wait() == 0

    def late_s(self, state, when):
        """Return how long ago the first bytes were written that this state lacks."""
        if state is None:
            return 0.0
        read = self.states[state][1]
        return max(0.0, when - next((at for at, size in self.written if size > read), when))

    def fresh(self, state):
        """Return a fresh build of the state's bytes, or the finished bundle itself."""
        if state is None:
            return self.out
        size, out = self.states[state][0], self.folder / f"fresh{state}"
        assert size, "there is no log yet"
        if not out.exists():
            prefix = self.folder / f"prefix{state}" / NAME
            prefix.parent.mkdir()
            prefix.write_bytes(self.data[:size])
            build(discover([prefix]), out, jobs=1, codec="none")
        return out


def watched_replay(replay, open_page, *, each_s=1.0):
    """Sample following pages every second: (seconds, view, state, contents, delay).

    The last samples show the finished bundle, without a state.
    """
    replay.follow()
    pages = {view: open_page(replay.out, f"#v=1&view={view}") for view in VIEWS}
    for page in pages.values():
        page.set_viewport_size(_WINDOW)
        _given(lambda page=page: page.evaluate(TAKE, "overview")["state"])
    begun = time.monotonic()
    replay.write()
    samples, number, rest_s = [], 1, 2 * each_s
    while replay.writing or rest_s > 0:
        if not replay.writing:
            rest_s -= each_s
        time.sleep(max(0.0, begun + number * each_s - time.monotonic()))
        number = int((time.monotonic() - begun) / each_s) + 1
        for view, page in pages.items():
            found = _given(
                lambda page=page, view=view: (
                    (taken := page.evaluate(TAKE, view))["how"] != "showing" and taken
                )
            )
            now = time.monotonic()
            # A page can be faster than the thread that reads of a state.
            _given(lambda found=found: not found["state"] or found["state"] in replay.states)
            if found["state"] and replay.states[found["state"]][0]:  # otherwise there is no log yet
                samples.append((now - begun, view, found["state"], found["shown"], now))
    replay.end()
    for view, page in pages.items():
        found = _given(
            lambda page=page, view=view: (taken := page.evaluate(TAKE, view))["how"] == "finished" and taken
        )
        samples.append((time.monotonic() - begun, view, None, found["shown"], time.monotonic()))
    return [
        (seconds, view, state, shown, replay.late_s(state, now))
        for seconds, view, state, shown, now in samples
    ]


class Fresh:
    """Contents of pages of fresh builds for the states of a replay."""

    def __init__(self, replay, open_page):
        self._replay, self._open_page = replay, open_page
        self._shown = {}

    def shows(self, state, view):
        if (state, view) not in self._shown:
            page = self._open_page(self._replay.fresh(state), f"#v=1&view={view}")
            page.set_viewport_size(_WINDOW)
            self._shown[state, view] = _at_rest(page, view)
            page.close()
        return self._shown[state, view]


def _at_rest(page, view):
    """Return the final contents of a page whose bundle does not grow."""
    ready = "() => document.querySelector('main h1, main h2') && !document.querySelector('main .loading')"
    before = []

    def read():
        before.append(page.evaluate(SHOWN, view) if page.evaluate(ready) else None)
        return (
            before[-1] is not None and len(before) > 3 and before[-1] == before[-4] and {"shown": before[-1]}
        )

    return _given(read)["shown"]


def _given(read):
    """Poll until it returns something."""
    given = []
    until(lambda: bool(given.append(read()) or given[-1]))
    return given[-1]
