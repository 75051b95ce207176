"""The short format document: a reader written from it alone gives the right answers, and the programs of
table pages run.
"""

import json
import re

import pytest
import traces
from tlparse_bundle import Bundle
from tlparse_bundle.cli.main import cli

FIXTURES = traces.ROOT / "fixtures"
CORE = (traces.ROOT / "docs" / "format-core.md").read_text(encoding="utf-8")
PAGES = sorted((traces.ROOT / "docs" / "tables").glob("*.md"))
TABLES = [page for page in PAGES if "```python table=" in page.read_text(encoding="utf-8")]
CODE = re.findall(r"^```python core=(\w+)\n(.*?)^```$", CORE, re.MULTILINE | re.DOTALL)
PRELUDE, MAIN = (dict(CODE)[name] for name in ("prelude", "main"))


@pytest.fixture(scope="module")
def read(built):
    """Return read(fixture): the bundle read by the document's program, its first log, and the log read by our
    reader.
    """
    space = {}
    exec(compile(PRELUDE, "format-core.md", "exec"), space)

    def make(fixture):
        place = built(FIXTURES / fixture / "trace").location
        bundle = space["Bundle"](place)
        return bundle, bundle.manifest["logs"][0], Bundle.open(place)

    return make


# Programs that a reader of this page alone would write.


def failing_compiles(bundle, log):
    return [
        (row["compile"], row["function"], row["failure_type"])
        for row in bundle.rows(log, "compiles")
        if row["status"] == "failed"
    ]


def breaks_by_line(bundle, log):
    counts = {}
    for row in bundle.rows(log, "graph_breaks"):
        counts[row["file"], row["line"]] = counts.get((row["file"], row["line"]), 0) + row["count"]
    return counts


def recompile_chain(bundle, log):
    first = {row["compile"]: row for row in bundle.rows(log, "recompile_reasons") if row["position"] == 0}
    return [
        (
            row["compile"],
            first.get(row["compile"], {}).get("guard"),
            first.get(row["compile"], {}).get("entry"),
            row["follows"],
        )
        for row in bundle.rows(log, "recompiles")
    ]


def slowest(bundle, log, count=3):
    rows = [row for row in bundle.rows(log, "compiles") if row["total_us"] is not None]
    return [
        (row["compile"], row["dynamo_us"], row["aot_us"], row["inductor_us"])
        for row in sorted(rows, key=lambda row: -row["total_us"])[:count]
    ]


def cache_outcomes(bundle, log):
    counts = {}
    for row in bundle.rows(log, "caches"):
        counts[row["cache"], row["outcome"]] = counts.get((row["cache"], row["outcome"]), 0) + 1
    return counts


def code_of_a_kernel(bundle, log):
    kernel = next(row for row in bundle.rows(log, "kernels") if row["line"] is not None)
    artifact = next(row for row in bundle.rows(log, "artifacts") if row["event"] == kernel["code_event"])
    return kernel["name"], bundle.payload(artifact).decode().split("\n")[kernel["line"] - 1]


def test_failing_compiles(read):
    bundle, log, ours = read("failures")
    wanted = [
        (one.key, one.row["function"], one.row["failure_type"])
        for one in ours.logs[0].compiles
        if one.status == "failed"
    ]
    assert failing_compiles(bundle, log) == wanted != []


def test_breaks_by_line(read):
    bundle, log, _ = read("graph_breaks")
    counts = breaks_by_line(bundle, log)
    assert (
        sum(counts.values()) == log["summary"]["graph_break_count"]
        and len(counts) == log["summary"]["graph_break_place_count"] > 2
    )


def test_recompile_chains(read):
    bundle, log, ours = read("recompiles")
    chain = recompile_chain(bundle, log)
    reasons = [one.row["recompile_reason"] for one in ours.logs[0].compiles if one.row["recompile_reason"]]
    assert len(chain) == log["summary"]["recompile_count"] > 0
    assert all(any(guard and guard.split(".")[0] in reason for _, guard, _, _ in chain) for reason in reasons)


def test_slowest_compiles_with_phases(read):
    bundle, log, ours = read("train_step")
    rows = slowest(bundle, log)
    assert rows[0][0] == max(ours.logs[0].compiles, key=lambda one: one.row["total_us"] or 0).key
    assert all(dynamo >= 0 and aot >= 0 for _, dynamo, aot, _ in rows)


def test_cache_outcomes(read):
    bundle, log, ours = read("caches")
    counts = cache_outcomes(bundle, log)
    assert sum(counts.values()) == len(ours.logs[0].table("caches"))
    for cache, outcomes in log["summary"]["cache_counts"].items():
        assert all(counts.get((cache, outcome), 0) == count for outcome, count in outcomes.items())


def test_code_of_a_kernel(read):
    name, line = code_of_a_kernel(*read("train_step")[:2])
    assert name in line


def test_which_rank_differs(read):
    bundle, _, ours = read("ranks_extra_break")
    rows = [(row["title"], row["ranks"]) for row in bundle.rows(None, "rank_findings")]
    assert rows == [(row["title"], row["ranks"]) for row in ours.rank_table("rank_findings")] and all(
        ranks for _, ranks in rows
    )


def test_the_program_of_the_document_runs(built, capsys):
    place = built(FIXTURES / "train_step" / "trace").location
    exec(compile(PRELUDE + MAIN.replace('"out/"', repr(str(place))), "format-core.md", "exec"), {})
    printed = capsys.readouterr().out
    assert Bundle.open(place).logs[0].row["summary"]["text"] in printed and "AOT ID" in printed


def test_names_in_the_document_exist_in_the_schemas():
    """Fields and tables written as code in the sections about them."""
    from format_document import SCHEMAS, script

    known = {
        part.rstrip("[]")
        for document in SCHEMAS.values()
        for path, *_ in script.fields(document)
        for part in path.split(".")
    } | set(SCHEMAS)
    section = CORE.split("## Numbers")[1].split("## A program")[0]
    fields = {
        word
        for word in re.findall(r"`([a-z_]+)`", section)
        if "_" in word.lstrip("_") and not word.endswith("_graph")
    }
    values = {
        "fx_graph",
        "aot_autograd",
        "compiled_autograd",
        "ahead_of_time",
        "inductor_output_code",
        "dynamo_cpp_guards_str",
    }
    assert fields - known - values == set()


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.stem)
def test_the_program_of_each_table_runs(page, read, capsys):
    (code,) = re.findall(
        r"^```python table=\w+\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    fixture = re.search(r"^From the fixture `(\w+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    bundle, _, _ = read(fixture[1] if fixture else "ranks_extra_break")
    exec(compile(code, page.name, "exec"), {"bundle": bundle})
    assert not fixture or capsys.readouterr().out


def test_the_command_prints_them():
    from click.testing import CliRunner

    def say(*arguments):
        return CliRunner().invoke(cli, ["docs", *arguments])

    assert say("core").stdout == CORE and say("table", "recompiles").stdout.startswith("# Table `recompiles`")
    assert (
        say("table", "manifest").stdout.startswith("# File `manifest.json`")
        and "files" in say("table", "log").stdout
        and "payload_form" in say("table", "events").stdout
    )
    assert say("table").stdout.split() == [page.stem for page in PAGES]
    assert "Use one of: aliasing" in say("table", "nothing").exception.hint
    assert "docs table NAME" in say().stdout


def test_the_format_is_json_lines(built):
    """Each row of a table has the keys of its schema, in their order."""
    from format_document import SCHEMAS

    for fixture in ("recompiles", "train_step", "ranks4"):
        folder = built(FIXTURES / fixture / "trace").folder
        bundle = Bundle.open(folder)
        for log in bundle.logs:
            for name, entry in log.directory["tables"].items():
                for file in entry["files"]:
                    lines = bundle.read(file["path"]).splitlines()
                    assert len(lines) == file["rows"] <= 4096
                    assert all(
                        list(json.loads(line)) == list(SCHEMAS[name]["properties"]) for line in lines
                    ), name
