"""Files of a tlparse report written from a bundle, compared with those that tlparse 0.4.3 writes from the
log.

We don't render pages: index.html and failures_and_restarts.html are missing, and the other pages hold their
data as text. All other differences are listed one by one.
"""

import datetime as dt
import html
import json
import re

import pytest
import traces
from click.testing import CliRunner
from legacy_tlparse import run_tlparse
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.main import cli
from tlparse_bundle.legacy.report import write_legacy

PAGES_NOT_MADE = {"index.html", "failures_and_restarts.html"}
_YEAR = re.compile(rb'(?<="timestamp":")\d{4}(?=-\d\d-\d\dT)')

# ---- the differences: (ours, theirs) -> whether they differ as described; None is a missing file


def carriage_return(ours, theirs):
    """tlparse treats a CR before LF as part of the line end, so its payload differs from the original."""
    return re.sub(rb"\r$", b"", ours, flags=re.MULTILINE) == (theirs or b"")


def lost_record(ours, theirs):
    """tlparse loses a record that has NaN in its metadata; here NaN is the word."""
    lines = ours.splitlines()
    (lost,) = [line for line in lines if b'"nan_in_metadata"' in line]
    return (
        theirs.splitlines() == [line for line in lines if line != lost]
        and json.loads(lost)["nan_in_metadata"]["v"] == "NaN"
    )


def lost_guard(ours, theirs):
    """tlparse loses guards whose frame_locals hold lists (torch 2.13), so a draft export report lacks them.
    Here each has a page, which takes a number.
    """
    return ours is None or theirs is None


ALL = {
    "nonascii/trace/fixture0.log": {
        "-_-_-_-/odd_lines_é_10.txt": carriage_return,
        "-_-_-_-/only_cr_11.txt": carriage_return,
        "raw.jsonl": lost_record,
    },
}
GUARD_INSTEAD = dict.fromkeys(
    [
        "-_-_-_-/symbolic_guard_information_0.html",
        "-_-_-_-/exported_program_0.txt",
        "-_-_-_-/exported_program_1.txt",
    ],
    lost_guard,
)
EXPORT = {
    "nonascii/trace/fixture0.log": {
        "payloads/19659c0b63c54933e2ffa95d2c346da0.txt": carriage_return,
        "payloads/dcb9be2f604e5df91deb9659bed4748d.txt": carriage_return,
    },
    "export_dtrace/trace/fixture0.log": GUARD_INSTEAD,
    "export_dtrace/trace/fixture1.log": GUARD_INSTEAD,
}
LOST_FAILURES = {
    "export_dtrace/trace/fixture0.log": [["Guard Evaluated", "2*s77 > 5"]],
    "export_dtrace/trace/fixture1.log": [["Data Dependent Error", "u0 > 2", "True"]],
}


def name_of(path):
    return next(param.id for param in traces.ALL_LOGS if param.values[0] == path)


def compare(ours, theirs, differences):
    """Compare two folders byte for byte, except ``differences``, all of which must occur."""
    assert set(ours) ^ set(theirs) == {path for path in differences if (path in ours) != (path in theirs)}
    found = {path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path)}
    found -= {path for path in ours.keys() & theirs.keys() if path.endswith(".html")}
    assert found == differences.keys()
    assert {
        path: differs(ours.get(path), theirs.get(path)) for path, differs in differences.items()
    } == dict.fromkeys(differences, True)


def take_year(files):
    """Remove the year from raw.jsonl; return the years that were there."""
    years = set()
    for path in [path for path in files if path.endswith("raw.jsonl")]:
        years |= {int(year) for year in _YEAR.findall(files[path])}
        files[path] = _YEAR.sub(b"YEAR", files[path])
    return years


def report(bundle, out, **options):
    write_legacy(bundle, out, **options)
    return traces.files(out)


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_the_report_is_that_of_tlparse(path, built, tmp_path):
    theirs = run_tlparse(path, tmp_path / "theirs")
    bundle = built(path)
    ours = report(bundle, tmp_path / "ours")
    year = bundle.logs[0].directory["clock"]["year"] or 1970
    # tlparse takes the year from the current date, we take it from the log.
    assert take_year(ours) == {year}
    assert take_year(theirs) <= {dt.datetime.now(dt.UTC).year, dt.datetime.now().year}
    compare(
        ours,
        {path: data for path, data in theirs.items() if path not in PAGES_NOT_MADE},
        ALL.get(name_of(path), {}),
    )


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_the_export_report_is_that_of_tlparse(path, built, tmp_path):
    theirs = run_tlparse(path, tmp_path / "theirs", "--export")
    ours = report(built(path), tmp_path / "ours", export=True)
    index = theirs.pop("index.html").decode()
    failures = json.loads(ours.pop("export_failures.json"))
    compare(ours, theirs, EXPORT.get(name_of(path), {}))

    told = [
        _without_page(row)
        for row in failures["failures"]
        if _without_page(row) not in LOST_FAILURES.get(name_of(path), [])
    ]
    assert told == _rows(index)
    assert len(told) == len(failures["failures"]) - len(LOST_FAILURES.get(name_of(path), []))
    assert all(row["page"] in ours for row in failures["failures"] if row["page"])
    if name_of(path) not in LOST_FAILURES:
        assert f'href="{failures["exported_program"] or ""}"' in index
    else:
        assert ours[failures["exported_program"]] == theirs["-_-_-_-/exported_program_0.txt"]


def _without_page(row):
    return [row["type"], *(row[key] for key in ("expr", "result", "op", "reason") if key in row)]


def _rows(index):
    """Return the rows of tlparse's table of failures as [type, texts...]."""
    rows = []
    for kind, reason in re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>", index, re.DOTALL):
        texts = [text.removeprefix("torch.ops.") for text in re.findall("<code>(.*?)</code>", reason)]
        rows.append([kind, *map(html.unescape, texts), *re.findall("the mismatch is: (.*)", reason)])
    return rows


def test_a_draft_export_lists_its_failures(root, built, tmp_path):
    for log, kinds in (
        ("fixture0", ["Guard Evaluated"]),
        ("fixture1", ["Data Dependent Error", "Missing Fake Kernel", "Mismatched Fake Kernel"]),
    ):
        ours = report(
            built(root / f"fixtures/export_dtrace/trace/dedicated_log_torch_trace_{log}.log"),
            tmp_path / log,
            export=True,
        )
        failures = json.loads(ours["export_failures.json"])["failures"]
        assert [row["type"] for row in failures] == kinds
        assert b"frame_locals" in ours[failures[0]["page"]]


PUBLIC_RANKS = ("multi_rank_schedule", "multi_rank_runtime", "exec_order")
RANKS = ["fixtures/ranks4/trace", *(f"../shared/traces/tlparse/{name}" for name in PUBLIC_RANKS)]

# ---- differences in the files over several ranks


def listing_order(rows, field):
    """tlparse lists the graphs of a rank in the file system's folder order."""
    return sorted(json.loads(rows), key=lambda row: (row["rank"], row[field]))


def trace_order(rows):
    """Likewise for the trace, whose threads are in hash table order."""
    rows = [row for row in json.loads(rows) if row["name"] != "thread_sort_index"]
    return sorted(rows, key=lambda row: (row["ph"], row["pid"], row.get("tid", 0), row.get("ts", 0)))


SORTED = {
    "collective_schedules.json": lambda rows: listing_order(rows, "graph"),
    "runtime_estimations.json": lambda rows: listing_order(rows, "graph"),
    "chromium_trace_with_runtime.json": trace_order,
}


@pytest.mark.parametrize("folder", RANKS)
def test_ranks_have_folders_of_their_own(folder, root, tmp_path):
    if not (root / folder).is_dir():
        pytest.skip(traces.NO_PUBLIC)
    theirs = run_tlparse(root / folder, tmp_path / "theirs", "--all-ranks-html")
    build(discover([root / folder]), tmp_path / "bundle", jobs=1)
    ours = report(Bundle.open(tmp_path / "bundle"), tmp_path / "ours")
    take_year(ours), take_year(theirs)
    for path in [path for path in theirs if path.rpartition("/")[2] in PAGES_NOT_MADE]:
        del theirs[path]
    # tlparse shares one table of strings among all ranks, read in file system order.
    for path in [path for path in ours if path.endswith("raw.jsonl")]:
        ours[path], theirs[path] = (files[path].partition(b"\n")[2] for files in (ours, theirs))
    assert (
        "chromium_events.json" in ours
        and "rank_1/raw.jsonl" in ours
        and "rank_1/collectives_parity.json" in ours
    )
    for name, in_order in SORTED.items():
        assert (name in ours) == (name in theirs)
        if name in ours:
            mine, other = ours.pop(name), theirs.pop(name)
            assert in_order(mine) == in_order(other) and len(mine) == len(other)
    compare(ours, theirs, {})


def code(*lines):
    return 'inductor_output_code 0/0 {"filename": "/x/c.py"}\n' + "".join(f" | {line}\n" for line in lines)


def schedules(*all_ops):
    row = 'artifact:inductor_collective_schedule 0/0 {"encoding": "json"}\n'
    return "".join(f"{row} | {json.dumps(list(ops))}\n" for ops in all_ops)


REDUCE, WAIT = (
    "torch.ops._c10d_functional.all_reduce_.default",
    "torch.ops._c10d_functional.wait_tensor.default",
)

# Wrong verdicts of tlparse: a rank's log, our parity verdict, tlparse's.
OTHER_VERDICTS = {
    "it cuts out what stands between '<' and the next '>', calls included": (
        schedules([REDUCE, WAIT]) + code(f"if a < b: {REDUCE}(x)", f"{WAIT}(x)", "c = d > e"),
        [],
        [{"offset": 1, "missing_waits": 0}],
    ),
    "it removes text after '//', including calls": (
        schedules([REDUCE, WAIT]) + code(f"n = a // 2; {REDUCE}(x)", f"{WAIT}(x)"),
        [],
        [{"offset": 1, "missing_waits": 0}],
    ),
    "it counts calls in a string": (
        schedules([REDUCE, WAIT]) + code(f"{REDUCE}(x)", f"{WAIT}(x)", f"s = '{REDUCE}(x)'"),
        [],
        [{"offset": 1, "missing_waits": 1}],
    ),
    "it takes one schedule and one output code of a compile id, whichever is listed first or last": (
        schedules([REDUCE, WAIT], [REDUCE, REDUCE, WAIT, WAIT])
        + code(f"{REDUCE}(x)", f"{WAIT}(x)")
        + code(*[f"{REDUCE}(x)", f"{WAIT}(x)"] * 2),
        [],
        None,  # whatever order the file system has
    ),
}


@pytest.mark.parametrize("reason", OTHER_VERDICTS)
def test_verdicts_that_differ_from_those_of_tlparse(reason, tmp_path):
    text, ours, theirs = OTHER_VERDICTS[reason]
    (tmp_path / "logs").mkdir()
    for rank in (0, 1):
        (tmp_path / "logs" / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(log(text))
    build(discover([tmp_path / "logs"]), tmp_path / "bundle", jobs=1)
    files = report(Bundle.open(tmp_path / "bundle"), tmp_path / "ours")
    for graphs, found in (
        (ours, files),
        (theirs, run_tlparse(tmp_path / "logs", tmp_path / "theirs", "--all-ranks-html")),
    ):
        if graphs is not None:
            rows = [{"graph": "-_0_0_0", "compile_id": "[0/0]", **row} for row in graphs]
            assert json.loads(found["rank_1/collectives_parity.json"])["graphs"] == rows
    assert len(json.loads(files["collective_schedules.json"])) == 2 * text.count(
        "inductor_collective_schedule"
    )


def test_logs_without_ranks_have_folders_of_their_names(root, built, tmp_path):
    write_legacy(built(root / "fixtures/fork_children/trace"), tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["fixture0", "fixture1", "fixture2"]


def test_the_command(root, built, tmp_path):
    path = root / "fixtures/basic_inference/trace/dedicated_log_torch_trace_fixture0.log"
    build(discover([path]), tmp_path / "bundle", jobs=1)
    done = CliRunner().invoke(cli, ["legacy", str(tmp_path / "bundle"), str(tmp_path / "out")])
    assert (done.exit_code, done.output) == (0, f"{tmp_path / 'out'}\n")
    assert traces.files(tmp_path / "out") == report(built(path), tmp_path / "again")
    with pytest.raises(BundleError, match="already exists"):
        write_legacy(built(path), tmp_path / "out")
    done = CliRunner().invoke(cli, ["legacy", "--export", str(tmp_path / "bundle"), str(tmp_path / "export")])
    assert done.exit_code == 0 and (tmp_path / "export/export_failures.json").exists()


def test_it_is_written_only_where_there_is_room(root, built, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match="already exists"):
        write_legacy(built(root / "fixtures/killed/trace"), tmp_path / "file")
    with pytest.raises(BundleError, match="cannot be written: Not a directory"):
        write_legacy(built(root / "fixtures/killed/trace"), tmp_path / "file/below")
