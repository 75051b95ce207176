"""Terminal output for a growing bundle: one screen, or lines of news."""

import io

import pytest
from rich.console import Console
from tlparse_bundle.cli.live_screen import Screen
from tlparse_bundle.cli.live_view import Lines, Views
from tlparse_bundle.render.running import running_compiles

NOW_US = 1_760_000_000_000_000
S = 1_000_000


def running(name="forward", index=3, since_s=41, spans=("entire_frame_compile", "inductor_compile")):
    since_us = None if since_s is None else NOW_US - since_s * S
    return {
        "compile": f"{index}/0",
        "attempt": 0,
        "function": name,
        "file": "/home/me/model.py",
        "line": 12,
        "since_epoch_us": since_us,
        "spans": [{"name": span, "since_epoch_us": since_us} for span in spans],
    }


def finding(title, at, **fields):
    return {
        "fingerprint": title,
        "severity": "warning",
        "title": title,
        "kind": "graph-break",
        "because_of": None,
        "compiles": ["0/0"],
        "events": [at],
        **fields,
    }


class Growing:
    """A manifest of logs, one for each of ``open_compiles``, and their findings."""

    def __init__(
        self,
        *open_compiles,
        read_s=1,
        ranks=None,
        breaks=0,
        findings=(),
        problems=(),
        compiles=1,
        names="log",
    ):
        ranks = list(range(len(open_compiles))) if ranks is None else ranks
        numbers = {
            "compile_count": compiles,
            "graph_break_count": breaks,
            "recompile_count": 0,
            "failure_count": None,
        }
        ids = [f"log{number}" for number in range(len(open_compiles))]
        logs = [
            {
                "id": id,
                "rank": rank,
                "source": {"name": f"{names}{id[3:]}.log", "size_bytes": 9},
                "summary": numbers,
                "path": "x",
            }
            for id, rank in zip(ids, ranks, strict=True)
        ]
        last = {"epoch_us": None, "kind": "guards", "compile": "3/0", "attempt": 0}
        live = [
            {
                "id": id,
                "read_bytes": 500_000,
                "read_epoch_us": NOW_US - read_s * S,
                "last_record": last,
                "running": list(rows),
            }
            for id, rows in zip(ids, open_compiles, strict=True)
        ]
        self.manifest = {
            "logs": logs,
            "descriptors": {"guards": {"title": "Guards"}},
            "growing": True,
            "live": {"logs": live, "problems": [{"code": "x", "message": text} for text in problems]},
        }
        self.findings = {id: list(findings) for id in ids}


@pytest.fixture
def lines_of():
    """Return lines_of(states, seconds after): the lines for these states without their times."""

    def read_lines(*states, after=0):
        lines, views = [], Views("out")
        teller = Lines(lambda text: lines.append(text.partition("  ")[2]))
        for state in states:
            teller.update(views.of(state.manifest, state.findings, NOW_US), NOW_US)
        for second in range(after):
            teller.tick(NOW_US + second * S)
        return lines

    return read_lines


def drawn(state, width=80, height=24, encoding="utf-8"):
    """Return the lines of the screen."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(
        file=file,
        width=width,
        height=height,
        force_terminal=True,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    screen = Screen("/tmp/trace into out", console=console)
    views = Views("out")
    screen._view = views.of(state.manifest, state.findings, NOW_US)
    with console.capture() as captured:
        console.print(screen.picture(NOW_US), end="")
    return captured.get().removesuffix("\n").split("\n")


# ---- lines


def test_each_event_is_reported_once(lines_of):
    state = Growing(
        [running()],
        breaks=2,
        findings=[finding("Graph break in `f`", 1)],
        problems=["rank_0.log was replaced"],
    )
    assert lines_of(state, state, state) == [
        "log log0.log",
        "rank_0.log was replaced",
        "! Graph break in `f`",
        "compiling 3/0 forward (model.py:12) for 41 s, in inductor_compile",
        "1 compile, 2 graph breaks, failures not recorded",
    ]


def test_only_new_events_are_reported(lines_of):
    first = Growing([running()], findings=[finding("one", 1)])
    second = Growing([running("backward", 4)], findings=[finding("one", 1), finding("two", 9)])
    lines = lines_of(first, second)
    assert [line for line in lines if "one" in line or "two" in line] == ["! one", "! two"]
    assert [line for line in lines if line.startswith("compiling")] == [
        "compiling 3/0 forward (model.py:12) for 41 s, in inductor_compile",
        "compiling 4/0 backward (model.py:12) for 41 s, in inductor_compile",
    ]


def test_a_compile_is_reported_when_it_gets_long(lines_of):
    state = Growing([running(since_s=1)])
    assert not any("compiling 3/0" in line for line in lines_of(state))
    assert sum("compiling 3/0" in line for line in lines_of(state, after=4)) == 1


def test_silence_is_reported_once_with_the_last_record(lines_of):
    state = Growing([], [running()], read_s=28)
    assert not any("no record" in line for line in lines_of(state))
    lines = [line for line in lines_of(state, after=6) if "no record" in line]
    assert lines == [
        "rank 0: no record for 30 s; last record: Guards of 3/0; no open compile",
        "rank 1: no record for 30 s; last record: Guards of 3/0; still in 3/0 forward (model.py:12)",
    ]


def test_a_running_compile_is_not_a_finding(lines_of):
    did_not_end = finding("The compile of `f` did not end", 1, kind="unfinished-compile", compiles=["3/0"])
    assert not any("did not end" in line for line in lines_of(Growing([running()], findings=[did_not_end])))
    assert not any("did not end" in line for line in drawn(Growing([running()], findings=[did_not_end])))
    assert any("did not end" in line for line in drawn(Growing([], findings=[did_not_end])))


def test_many_at_once_are_counted(lines_of):
    lines = lines_of(
        Growing(*[[]] * 64, findings=[finding(f"number {number}", number) for number in range(20)])
    )
    assert (
        lines[0] == "64 logs: log0.log to log63.log" and "… and 15 more of these" in lines and len(lines) < 10
    )


def test_ranks_at_the_same_place_are_one_line(lines_of):
    lines = lines_of(Growing([running()], [running()], [], [running(since_s=50)]))
    assert "ranks 0–1, 3: compiling 3/0 forward (model.py:12) for 50 s, in inductor_compile" in lines


# ---- screen


def test_what_it_shows():
    state = Growing(
        [running()],
        [],
        breaks=3,
        findings=[finding("Graph break in `f`", 1), finding("newer", 5)],
        problems=["rank_1.log is gone"],
    )
    text = "\n".join(drawn(state))
    for words in (
        "/tmp/trace into out",
        "2 logs, 1.0 MB read",
        "2 compiles, 6 graph breaks",
        "rank_1.log is gone",
        "Running now",
        "3/0 forward (model.py:12)",
        "41 s",
        "rank 1",
        "no open compile; last record: Guards of 3/0",
        "newer (in 2 logs)",
        "Ctrl-C",
    ):
        assert words in text
    assert text.index("newer") < text.index("Graph break in `f`")


@pytest.mark.parametrize("logs", [0, 1, 2, 64])
@pytest.mark.parametrize("width, height", [(80, 24), (40, 10), (20, 5), (200, 60), (1, 1)])
def test_it_fits(width, height, logs):
    state = Growing(
        *[[running()]] * logs,
        findings=[finding(f"a long title {number} " * 9, number) for number in range(40)],
        problems=["one", "two"],
    )
    lines = drawn(state, width, height)
    assert len(lines) == max(height, 3) and max(map(len, lines)) <= width


def test_hidden_lines_are_counted():
    lines = drawn(Growing([], findings=[finding(f"number {number}", number) for number in range(100)]))
    shown = [line for line in lines if "number" in line]
    assert f"… and {100 - len(shown)} more" in "\n".join(lines) and len(shown) > 5


def test_64_ranks_are_grouped():
    text = "\n".join(drawn(Growing(*([running()] if number % 2 else [] for number in range(64)))))
    assert "32 ranks (0, 2, …)" in text and "32 ranks (1, 3, …)" in text


def test_a_name_cannot_move_the_cursor(lines_of):
    evil = "\x1b[2J\x1b]0;mine\x07[bold]x[/bold]\n\r:smile:\u202e"
    state = Growing(
        [running(evil, spans=(evil,))],
        [running(evil)],
        ranks=[None, 1],
        findings=[finding(evil, 1)],
        problems=[evil],
        names=evil,
    )
    for lines in (drawn(state, 300, 40), lines_of(state)):
        text = "\n".join(lines)
        assert "\x1b" not in text and "\x07" not in text and "\r" not in text and "\u202e" not in text
        assert r"\x1b[2J" in text and "[bold]x[/bold]" in text and ":smile:" in text


def test_a_terminal_without_unicode():
    lines = drawn(
        Growing([running("f\u00fcr")], [running(), running()], findings=[finding("\u4e2d", 1)]),
        encoding="ascii",
    )
    assert "\n".join(lines).isascii() and any(r"f\xfcr" in line for line in lines)


def test_numbers_that_are_not_recorded_are_not_zero():
    state = Growing([running(since_s=None)], breaks=None)
    text = "\n".join(drawn(state))
    assert "1 compile, graph breaks and failures not recorded" in text and "unknown" in next(
        line for line in drawn(state) if "forward" in line
    )


def test_a_bundle_without_logs():
    assert any("Waiting for the first log" in line for line in drawn(Growing()))


def test_the_compile_that_started_first_comes_first_and_one_of_unknown_start_last():
    compiles = {"a": running("new", 1, 5), "b": running("unknown", 2, None), "c": running("old", 3, 90)}
    rows = {id: {"id": id, "rank": rank} for rank, id in enumerate(compiles)}
    live = {id: {"id": id, "running": [compile]} for id, compile in compiles.items()}
    assert [one.logs for one in running_compiles(rows, live)] == [("c",), ("a",), ("b",)]
