"""The statuses that are printed beside a number of compiles add up to it."""

import re

import pytest
import traces
from click.testing import CliRunner
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.cli.main import cli
from tlparse_bundle.errors import BundleError
from tlparse_bundle.mcp.opened import Opened
from tlparse_bundle.mcp.tools import Tools

FIXTURES = sorted({path.parent.relative_to(traces.ROOT / "fixtures").as_posix() for path in (traces.ROOT / "fixtures").rglob("*.log*")})
WORDS = {"ok", "empty", "break", "error", "missing", "running", "ahead-of-time", "exported"}


def info(folder, *options):
    done = CliRunner().invoke(cli, ["info", str(folder), *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def printed(out):
    """(log, compiles, {status: count}) of each row of the table."""
    lines = out.split("\n")
    head = next(number for number, line in enumerate(lines) if re.match(r"log +rank +torch", line))
    columns = [found.start() for found in re.finditer(r"(?:^|(?<=  ))\S+(?: \S+)*", lines[head])]
    for line in lines[head + 1 :]:
        if not line or line.startswith("…"):
            return
        cells = [line[start:end].strip() for start, end in zip(columns, [*columns[1:], None])]
        statuses = re.findall(r"([\d,]+) (\S+)", cells[6])
        yield cells[0], int(cells[4].replace(",", "")), {status: int(count.replace(",", "")) for count, status in statuses}


def listed(out):
    """The statuses in the list of the compiles."""
    rows = out.partition("\ncompile  status")[2].split("\n")[1:]
    return [row.split()[1] for row in rows if row and not row.startswith("…")]


def check(folder):
    bundle = Bundle.open(folder)
    out = info(folder)
    for name, compiles, statuses in printed(out):
        summary = bundle.log(name).row["summary"]
        assert compiles == sum(statuses.values()) == summary["compile_count"], (name, statuses)
        assert statuses.keys() <= WORDS
        assert (statuses.get("ahead-of-time", 0), statuses.get("exported", 0)) == (summary["ahead_of_time_count"], summary["export_count"])
        if len(bundle.logs) == 1 and "more compiles" not in out and not summary["ahead_of_time_count"]:  # these have a row as well, in some logs
            rows = [status for status in listed(out) if status not in ("restarted", "refused", "-")]
            assert {status: rows.count(status) for status in rows} == {status: count for status, count in statuses.items() if status != "exported"}
    told = Tools(Opened({"out": folder})).overview()["logs"]
    for row in told:
        summary = bundle.log(row["log"]).row["summary"]
        assert sum(row["statuses"].values()) == summary["compile_count"] and row.get("compile_time_us") == summary["compile_time_us"]


@pytest.mark.parametrize("name", FIXTURES)
def test_of_every_fixture(name, built, root):
    folder = root / "fixtures" / name
    for path in [folder] if len({log.name_rank for log in discover([folder])}) > 1 else sorted(folder.glob("*.log*")):
        check(built(path).folder)


def test_of_public_traces(shared_traces, tmp_path):
    paths = sorted(path for path in shared_traces.parent.rglob("*") if path.is_file())  # logs in an archive are read as one log
    count = 0
    for path in paths:
        try:
            logs = discover([path])
        except BundleError:
            continue
        build(logs, tmp_path / "out", jobs=1, overwrite=True)
        check(tmp_path / "out")
        count += 1
    assert count >= 20  # a guard against a folder that moved


def test_a_restarted_compile_is_one_compile_with_the_attempts_named(built, root):
    out = info(built(root / "fixtures" / "graph_breaks" / "trace").folder)
    assert [(compiles, statuses) for _, compiles, statuses in printed(out)] == [(14, {"break": 6, "empty": 1, "ok": 7})]
    assert "19 compile ids, of which 5 restarted: these are not counted as compiles." in out


def test_what_the_recompile_limit_refused_is_not_a_compile(built, root):
    folder = built(root / "fixtures" / "recompiles" / "trace").folder
    out = info(folder)
    assert [(compiles, statuses) for _, compiles, statuses in printed(out)] == [(11, {"ok": 11})]
    assert "12 compile ids, of which 1 refused" in out and listed(out).count("refused") == 1
    refused = Tools(Opened({"out": folder})).compiles(status="refused")["compiles"]
    assert [row["compile"] for row in refused] == ["3/4"]
