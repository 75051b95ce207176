"""The short format document: what a reader writes from it, and nothing else, gives the right answers; pages of tables run, too."""

import json
import re

import pytest
import traces
from tlparse_bundle import Bundle
from tlparse_bundle.cli.main import cli

FIXTURES = traces.ROOT / "fixtures"
CORE = (traces.ROOT / "docs" / "format-core.md").read_text(encoding="utf-8")
TABLES = sorted((traces.ROOT / "docs" / "tables").glob("*.md"))
MOST_TOKENS, BYTES_PER_TOKEN = 6000, 3.83  # of o200k_base, as in test_docs
CODE = re.findall(r"^```python core=(\w+)\n(.*?)^```$", CORE, re.MULTILINE | re.DOTALL)
PRELUDE, MAIN = (dict(CODE)[name] for name in ("prelude", "main"))


def test_it_is_short():
    assert len(CORE.encode()) <= MOST_TOKENS * BYTES_PER_TOKEN


@pytest.fixture(scope="module")
def read(built):
    """read(fixture): the bundle by the program of the document, its only log, and the same by our own reader."""
    space = {}
    exec(compile(PRELUDE, "format-core.md", "exec"), space)

    def make(fixture):
        place = built(FIXTURES / fixture / "trace").location
        bundle = space["Bundle"](place)
        return bundle, bundle.manifest["logs"][0], Bundle.open(place)

    return make


# What readers write who have this page only.


def failing_compiles(bundle, log):
    return [(row["key"], row["function"], row["failure"]["type"]) for row in bundle.rows(log, "compiles", "compiles") if row["status"] == "error"]


def breaks_by_line(bundle, log):
    found = {}
    for row in bundle.rows(log, "graph_breaks", "graph_breaks"):
        found[row["file"], row["line"]] = found.get((row["file"], row["line"]), 0) + len(row["occurrences"])
    return found


def recompile_chain(bundle, log):
    compiles = bundle.rows(log, "compiles", "compiles")
    found = []
    for row in bundle.rows(log, "recompiles", "recompiles"):
        first = row["reasons"][0] if row["reasons"] else None
        found.append((compiles[row["compile_index"]]["key"], first and first["guard"], first and first["failed_compile_id"], row["caused_by"]))
    return found


def slowest(bundle, log, count=3):
    rows = list({row["metrics_event_index"]: row for row in bundle.rows(log, "compiles", "compiles") if row["compile_time_us"] is not None}.values())
    rows.sort(key=lambda row: -row["compile_time_us"])
    return [
        (row["key"], row["compile_time_us"] - (row["backend_time_us"] or 0), (row["backend_time_us"] or 0) - (row["inductor_time_us"] or 0), row["inductor_time_us"])
        for row in rows[:count]
    ]


def cache_outcomes(bundle, log):
    found = {}
    for row in bundle.rows(log, "caches", "caches"):
        found[row["cache"], row["outcome"]] = found.get((row["cache"], row["outcome"]), 0) + 1
    return found


def code_of_a_kernel(bundle, log):
    kernel = next(row for row in bundle.rows(log, "kernels", "kernels") if row["line"] is not None)
    code = bundle.rows(log, "kernels", "codes")[kernel["code_index"]]
    artifact = next(row for row in bundle.rows(log, "artifacts") if row["event"] == code["event_index"])
    return kernel["name"], bundle.payload(artifact).decode().split("\n")[kernel["line"] - 1]


def differing_ranks(bundle):
    found = bundle.json(bundle.manifest["ranks"]["findings"])
    return found["summary"]["text"], [(row["title"], row["ranks"]) for row in found["findings"]]


def test_failing_compiles(read):
    bundle, log, ours = read("failures")
    wanted = [(one.key, one.row["function"], one.row["failure"]["type"]) for one in ours.logs[0].compiles if one.status == "error"]
    assert failing_compiles(bundle, log) == wanted != []


def test_breaks_by_line(read):
    bundle, log, _ = read("graph_breaks")
    truth = next(iter(json.loads((FIXTURES / "graph_breaks" / "truth.json").read_text())["logs"].values()))
    found = breaks_by_line(bundle, log)
    assert sum(found.values()) == sum(len(row["occurrences"]) for row in read("graph_breaks")[2].logs[0].table("graph_breaks")["graph_breaks"]) and len(found) > 2 and truth


def test_recompile_chains(read):
    bundle, log, ours = read("recompiles")
    found = recompile_chain(bundle, log)
    reasons = [one.row["recompile_reason"] for one in ours.logs[0].compiles if one.row["recompile_reason"]]
    assert len(found) >= len(reasons) > 0
    assert all(any(guard and guard.split(".")[0] in reason for _, guard, _, _ in found) for reason in reasons)


def test_slowest_compiles_with_phases(read):
    bundle, log, ours = read("train_step")
    found = slowest(bundle, log)
    assert found[0][0] == max(ours.logs[0].compiles, key=lambda one: one.row["compile_time_us"] or 0).key
    assert all(dynamo >= 0 and aot >= 0 for _, dynamo, aot, _ in found)


def test_cache_outcomes(read):
    bundle, log, ours = read("caches")
    wanted = {}
    for row in ours.logs[0].table("caches")["caches"]:
        wanted[row["cache"], row["outcome"]] = wanted.get((row["cache"], row["outcome"]), 0) + 1
    assert cache_outcomes(bundle, log) == wanted and {outcome for _, outcome in wanted} >= {"miss", "bypass"}


def test_code_of_a_kernel(read):
    name, line = code_of_a_kernel(*read("train_step")[:2])
    assert name in line


def test_which_rank_differs(read):
    bundle, _, ours = read("ranks_extra_break")
    text, found = differing_ranks(bundle)
    assert text == ours.ranks("findings")["summary"]["text"] and found and all(ranks for _, ranks in found)


def test_the_program_of_the_document_runs(built, capsys):
    place = built(FIXTURES / "train_step" / "trace").location
    exec(compile(PRELUDE + MAIN.replace('"out/"', repr(str(place))), "format-core.md", "exec"), {})
    said = capsys.readouterr().out
    assert Bundle.open(place).logs[0].row["summary"]["text"] in said and "AOT ID" in said


def test_names_in_it_are_those_of_schemas():
    """Fields in the section of a table, as far as they are written as code."""
    from format_document import SCHEMAS, script

    known = {part.rstrip("[]") for document in SCHEMAS.values() for path, *_ in script.fields(document) for part in path.split(".")}
    section = CORE.split("## What is in the tables")[1].split("## A program")[0]
    fields = {word for words in re.findall(r"`([a-z_]+)`", section) for word in [words] if "_" in word and not word.endswith("_graph")}
    values = {"fx_graph", "aot_autograd", "inductor_output_code", "dynamo_cpp_guards_str", "compilation_metrics"}
    assert fields - known - values == set()


@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.stem)
def test_the_program_of_each_table_runs(page, read, capsys):
    (code,) = re.findall(r"^```python table=\w+\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    fixture = re.search(r"^Of the fixture `(\w+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    bundle, _, _ = read(fixture[1] if fixture else "ranks_extra_break")
    exec(compile(code, page.name, "exec"), {"bundle": bundle})
    assert not fixture or capsys.readouterr().out


def test_the_command_prints_them():
    from click.testing import CliRunner

    def say(*arguments):
        return CliRunner().invoke(cli, ["docs", *arguments])

    assert say("core").stdout == CORE and say("table", "recompiles").stdout.startswith("# Table `recompiles`")
    assert say("table").stdout.split() == [page.stem for page in TABLES]
    assert "There are: anatomy" in say("table", "nothing").exception.hint
    assert "docs table NAME" in say().stdout
