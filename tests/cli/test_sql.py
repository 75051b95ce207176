"""Bundles in SQL: contents of the tables, limits of a query, examples of the document."""

import json
import re
import shutil
import sys

import duckdb
import pytest
from click.testing import CliRunner
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.bundle.schemas import row_tables, schema
from tlparse_bundle.bundle.sql.in_process import database, query_result
from tlparse_bundle.bundle.sql.views import COLUMNS
from tlparse_bundle.cli.main import cli
from traces import ROOT

FIXTURES = ROOT / "fixtures"
DOCUMENT = (ROOT / "docs" / "how-to" / "sql.md").read_text()


@pytest.fixture(
    scope="module", params=["recompiles", "graph_breaks", "failures", "caches", "ranks4", "export_dtrace"]
)
def bundle(request, built):
    return Bundle.open(built(FIXTURES / request.param / "trace").location)


def rows(bundle, query):
    with query_result([("it", bundle)], query) as result:
        return result.fetchall()


def plain(value, kinds=()):
    """Convert a query's value to the table's: JSON comes as text, and so do numbers of a column that also has
    texts.
    """
    if isinstance(value, int) and "string" in kinds:
        return str(value)
    if not isinstance(value, str) or value[:1] not in {"[", "{", '"'}:
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value  # a text that only begins like JSON


def test_every_value_of_every_table_is_there(bundle):
    with database([("it", bundle)]) as connection:
        for log in bundle.logs:
            for name in log.directory["tables"]:
                columns = list(schema(name)["properties"])
                listed = ", ".join(f'"{column}"' for column in columns)
                found = connection.execute(
                    f'SELECT bundle, log, rank, {listed} FROM "{name}" WHERE log = ?', (log.id,)
                ).fetchall()
                wanted = log.table(name)
                assert len(found) == len(wanted), name
                for cells, row in zip(found, wanted, strict=True):
                    assert cells[:3] == ("it", log.id, log.rank)
                    for column, cell in zip(columns, cells[3:], strict=True):
                        assert (
                            cell == row[column]
                            or plain(cell) == row[column]
                            or plain(cell)
                            == plain(row[column], schema(name)["properties"][column].get("type", ()))
                        ), (name, column)


def test_every_table_is_there_even_without_rows(bundle):
    listed = {}
    with database([("it", bundle)]) as connection:
        for table, column in connection.execute(COLUMNS).fetchall():
            listed.setdefault(table, []).append(column)
    for name, where in row_tables().items():
        front = ["bundle", "log", "rank"] if where == "log" else ["bundle"]
        assert listed[name] == front + list(schema(name)["properties"]), name


def test_the_numbers_of_the_headline_are_columns_of_logs(bundle):
    found = rows(
        bundle,
        "SELECT log, compile_count, compile_us, graph_break_count, failure_count FROM logs ORDER BY log",
    )
    assert found == sorted(
        (
            log.id,
            *(
                log.summary[key]
                for key in ("compile_count", "compile_us", "graph_break_count", "failure_count")
            ),
        )
        for log in bundle.logs
    )


def test_several_bundles_in_one_query(built):
    places = [str(built(FIXTURES / name / "trace").location) for name in ("recompiles", "graph_breaks")]
    done = CliRunner().invoke(
        cli,
        ["sql", *places, "SELECT bundle, count(*) AS n FROM compiles GROUP BY all", "--format", "json"],
        catch_exceptions=False,
    )
    counts = {row["bundle"]: row["n"] for row in json.loads(done.stdout)}
    assert sorted(counts.values()) == sorted(len(Bundle.open(place).logs[0].compiles) for place in places)


@pytest.mark.parametrize(
    "query, said",
    [
        ("DELETE FROM compiles", "can only read"),
        ("ATTACH '/tmp/other.db' AS x", "can only read"),
        ("SET memory_limit = '100GB'", "can only read"),
        ("COPY compiles TO '/tmp/compiles.csv'", "can only read"),
        ("INSTALL httpfs", "can only read"),
        ("SELECT * FROM read_text('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM '/etc/passwd'", "does not exist"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled by configuration"),
        ("SELECT * FROM read_blob('/proc/self/environ')", "disabled by configuration"),
        ("SELECT * FROM 'https://example.com/a.csv'", "disabled by configuration"),
        ("SELECT getenv('HOME')", "getenv does not exist"),
        ("LOAD httpfs", "can only read"),
        ("PRAGMA memory_limit = '100GB'", "can only read"),
        ("EXPLAIN ANALYZE SELECT 1", "can only read"),
        ("SELECT * FROM glob('/etc/*')", "disabled by configuration"),
        ("SELECT 1; SELECT 2", "not a single statement"),
        ("SELECT * FROM nowhere", "nowhere does not exist"),
        ("SELEC 1", "syntax error"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--trusted"]])
def test_a_query_only_reads_the_bundle(built, query, said, options):
    place = str(built(FIXTURES / "recompiles" / "trace").location)
    done = CliRunner().invoke(cli, ["sql", *options, place, query])
    assert (
        isinstance(done.exception, BundleError)
        and said in done.exception.message
        and done.exception.exit_code == 2
    )


@pytest.mark.parametrize("options", [[], ["--trusted"]])
def test_a_query_cannot_write_the_files_that_it_reads(built, tmp_path, options):
    shutil.copytree(built(FIXTURES / "recompiles" / "trace").location, out := tmp_path / "out")
    (file,) = Bundle.open(out).logs[0].files("compiles")
    target = out / file["path"]
    before = target.read_bytes()
    copy = f"COPY (SELECT 1 FROM compiles) TO '{target}' (FORMAT csv, USE_TMP_FILE false)"
    for query in (
        copy,
        f"EXPLAIN ANALYZE {copy}",
        f"EXPLAIN (ANALYZE) {copy}",
        f"/**/EXPLAIN ANALYZE {copy}",
    ):
        done = CliRunner().invoke(cli, ["sql", *options, str(out), query])
        assert "can only read" in done.exception.message
    assert target.read_bytes() == before


def test_the_command(built, tmp_path):
    place = str(built(FIXTURES / "recompiles" / "trace").location)

    def say(*arguments):
        done = CliRunner().invoke(cli, ["sql", place, *arguments], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    listed = {row["name"]: row for row in json.loads(say("--format", "json"))}
    assert listed["compiles"]["columns"][:5] == ["bundle", "log", "rank", "compile", "kind"]
    first, _, _ = schema("recompiles")["description"].partition(".")
    assert listed["recompiles"]["help"] == f"{first}." and listed["logs"]["help"] is None
    assert "    bundle, log, rank, compile, kind" in say()
    assert (
        f"\nrecompiles: {first}.\n    bundle, log, rank, " in say() and "\nlogs\n    bundle, " in f"\n{say()}"
    )
    query = "SELECT 'a,\x1b[31m\"' AS one, NULL AS other, 0.5::DOUBLE AS half"
    assert "\x1b" not in say(query)
    assert say(query, "--format", "csv") == 'one,other,half\n"a,\x1b[31m""",,0.5\n'
    assert json.loads(say(query, "--format", "json")) == [{"one": 'a,\x1b[31m"', "other": None, "half": 0.5}]
    assert say("--out", str(tmp_path / "x.duckdb")) == ""  # suggestions are for people, so on stderr
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM compiles").fetchone()[0] == len(
            Bundle.open(place).logs[0].compiles
        )
    again = CliRunner().invoke(cli, ["sql", place, "--out", str(tmp_path / "x.duckdb")])
    assert again.exception.code == "exists"
    say("--out", str(tmp_path / "x.duckdb"), "--overwrite")


def test_the_queries_of_the_document_run(built):
    place = str(built(FIXTURES / "recompiles" / "trace").location)
    queries = re.findall(r'^tlparse-bundle sql [^"]+ "([^"]+)"', DOCUMENT, re.MULTILINE)
    assert len(queries) >= 8
    for query in queries:
        assert CliRunner().invoke(cli, ["sql", place, query], catch_exceptions=False).exit_code == 0, query


def test_the_programs_of_the_document_run(built, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").symlink_to(built(FIXTURES / "recompiles" / "trace").location)
    programs = re.findall(r"^```python[^\n]*\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert len(programs) == 3
    for program in programs:
        exec(compile(program, "docs/how-to/sql.md", "exec"), {})
    assert "limited" in capsys.readouterr().out


def test_frames(built):
    bundle = Bundle.open(built(FIXTURES / "ranks4" / "trace").location)
    frame = bundle.frame("compiles")
    rows = list(bundle.table("compiles"))
    assert [(row["log"], row["rank"], row["compile"]) for row in rows] == [
        (log.id, log.rank, compile.key) for log in bundle.logs for compile in log.compiles
    ]
    assert (
        list(frame.columns[:3]) == ["log", "rank", "compile"]
        and len(frame) == sum(len(log.compiles) for log in bundle.logs)
        and set(frame["log"]) == {log.id for log in bundle.logs}
    )
    assert len(bundle.sql("SELECT * FROM compiles")) == len(frame)
    with pytest.raises(BundleError, match="no table 'nowhere'"):
        bundle.frame("nowhere")


@pytest.mark.parametrize("module", ["pandas", "duckdb"])
def test_a_missing_library_is_named(built, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BundleError, match="is not installed"):
        Bundle.open(built(FIXTURES / "recompiles" / "trace").location).sql("SELECT 1")
