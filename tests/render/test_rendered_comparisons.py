"""Changes and measured times of a comparison in each format, from made rows."""

import click
from made_rows import RUN_TIME, change, compared_log, document
from tlparse_bundle.render import github, markdown, terminal
from tlparse_bundle.render.run_times import MOST_ROWS, time_sections
from tlparse_bundle.statements.runs.compare.change import MAX_PRINTED

WORSE = change(severity="error", title="`f` failed", text="It raised\nan error.", cost_us=1_500_000)
EFFECT = change(change="gone", title="1 compile of `f` (train.py:12)", cost_us=-2_000, because_of=0)
BETTER = change(change="better", title="`g` is faster", file=None, line=None, cost_us=0)


def plain(text):
    return click.unstyle(text).split("\n")


def test_changes_in_the_terminal():
    text = terminal.comparison(document(compared_log(WORSE, EFFECT, BETTER), notes=["A note."]))
    assert plain(text) == [
        "The net result.",
        "A note.",
        "",
        "new  `f` failed +1.5 s",
        "  train.py:12",
        "  It raised",
        "  an error.",
        "    gone  1 compile of `f` (train.py:12) −2 ms",
        "better  `g` is faster",
    ]
    for part in (
        click.style("The net result.", bold=True),
        click.style("A note.", dim=True),
        click.style("new", fg="red"),
        click.style("gone", fg="green"),
        click.style("+1.5 s", bold=True),
    ):
        assert part in text


def test_a_place_that_the_title_names_is_not_repeated():
    for title in ("`train.py:12` is slow", "`f` (train.py:12) is slow"):
        assert len(plain(terminal.comparison(document(compared_log(change(title=title)))))) == 3
    assert (
        plain(terminal.comparison(document(compared_log(change(title="`f` is slow")))))[-1] == "  train.py:12"
    )


def test_logs_have_names_where_there_are_several():
    logs = (compared_log(WORSE, rank=0), compared_log(BETTER, id="y"), compared_log(id="z"))
    text = terminal.comparison(document(*logs))
    assert plain(text)[1:3] == ["", "rank 0 (x)"] and "y" in plain(text) and "z" not in plain(text)
    assert click.style("y", bold=True) in text
    lines = markdown.comparison(document(*logs)).split("\n")
    assert [line for line in lines if line.startswith("## ")] == ["## rank 0 (x)", "## y"]


def test_changes_beyond_a_limit_are_counted():
    rows = [change(title=f"change {number}") for number in range(MAX_PRINTED + 1)]
    last = "1 more change; --json has them all"
    text = terminal.comparison(document(compared_log(*rows)))
    assert plain(text)[-1] == last and click.style(last, dim=True) in text
    assert markdown.comparison(document(compared_log(*rows))).split("\n")[-1] == f"- {last}"
    assert last not in terminal.comparison(document(compared_log(*rows[:-1])))


def test_changes_in_markdown():
    text = markdown.comparison(document(compared_log(WORSE, EFFECT, BETTER), notes=["A note."]))
    assert text.split("\n") == [
        "**The net result.**",
        "",
        "A note.  ",
        "",
        "- new: `f` failed **+1.5 s**",
        "  - gone: 1 compile of `f` (train.py:12) **−2 ms**",
        "- better: `g` is faster",
    ]


def test_annotations_are_regressions_that_nothing_explains():
    text = github.comparison(document(compared_log(WORSE, EFFECT, BETTER, change(because_of=0))))
    assert text.split("\n") == [
        "::notice title=comparison::The net result.",
        "::error file=train.py,line=12,title=finding::new: `f` failed",
    ]


def test_measured_times():
    text = terminal.comparison(document(compared_log(run_time=RUN_TIME)))
    times = "Measured kernel time: 2 ms → 3 ms, 4 kernels changed"
    assert plain(text) == [
        "The net result.",
        "",
        times,
        "  worse  `k0` → `k1`  1 ms → 2 ms",
        "  new  `k2`  – → 10 µs",
        "  gone  `k3`  10 µs → –",
        "  better  `k4`  20 µs → 10 µs",
        "",
        "Source lines",
        "  worse  `y = x + 1` (a.py:3)  1 µs → 2 µs",
        "  new  (a.py:5)  – → 2 µs",
    ]
    assert click.style(times, bold=True) in text
    assert markdown.comparison(document(compared_log(run_time=RUN_TIME))).split("\n")[3:7] == [
        f"**{times}**",
        "",
        "- worse: `k0` → `k1` 1 ms → 2 ms",
        "- new: `k2` – → 10 µs",
    ]


def test_the_log_whose_kernel_time_changed_most_is_shown():
    slower = {**RUN_TIME, "base_us": 9000, "new_us": 1000, "kernels": [], "lines": []}
    missing = {**RUN_TIME, "missing": "base", "base_us": None, "new_us": None}
    logs = [compared_log(run_time=times) for times in (RUN_TIME, missing, slower, None)]
    (section,) = time_sections(document(*logs))
    assert section.title == "Measured kernel time: 9 ms → 1 ms, no kernel changed beyond noise"
    assert [*time_sections(document(compared_log(run_time=missing), compared_log()))] == []


def test_rows_of_times_beyond_a_limit_are_counted():
    for count in (MOST_ROWS, MOST_ROWS + 2):
        times = {
            **RUN_TIME,
            "kernels": RUN_TIME["kernels"][:1] * count,
            "lines": RUN_TIME["lines"][:1] * count,
        }
        shown = document(compared_log(run_time=times))
        kernels, lines = time_sections(shown)
        assert len(kernels.rows) == len(lines.rows) == MOST_ROWS
        assert kernels.left_out == lines.left_out == count - MOST_ROWS
        assert (plain(terminal.comparison(shown))[-1] == "  2 more") == (count > MOST_ROWS)
        assert (markdown.comparison(shown).split("\n")[-1] == "- 2 more") == (count > MOST_ROWS)
    assert (
        "1 kernel changed"
        in time_sections(document(compared_log(run_time={**RUN_TIME, "kernels": RUN_TIME["kernels"][:1]})))
        .__next__()
        .title
    )
