"""Bundles in SQL: what the tables hold, what a query may do, what the document says of both."""

import json
import re
import sqlite3

import pytest
from click.testing import CliRunner
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.cli.main import cli
from tlparse_bundle.read.flat import files_of, flat_tables
from tlparse_bundle.sql.database import asked, database
from tlparse_bundle.sql.views import VIEWS
from traces import ROOT

FIXTURES = ROOT / "fixtures"
DOCUMENT = (ROOT / "docs" / "sql.md").read_text()


@pytest.fixture(scope="module", params=["recompiles", "graph_breaks", "failures", "caches", "ranks4", "export_dtrace"])
def bundle(request, built):
    return Bundle.open(built(FIXTURES / request.param / "trace").location)


def rows(bundle, query):
    with asked(bundle, query) as found:
        return found.fetchall()


def test_every_value_of_every_table_is_there(bundle):
    connection = database(bundle)
    for log in bundle.logs:
        for file in files_of(log):
            for flat in flat_tables(log, file):
                names = list(flat.columns)
                found = connection.execute(f'SELECT row, {", ".join(f"{chr(34)}{name}{chr(34)}" for name in names)} FROM "{flat.name}" WHERE log_id = ? ORDER BY row', (log.id,)).fetchall()
                assert len(found) == flat.row_count, flat.name
                for number, (row, *cells) in enumerate(found):
                    assert row == number
                    for cell, values in zip(cells, flat.columns.values()):
                        wanted = values[number]
                        assert (json.loads(cell) if isinstance(wanted, dict | list) else cell) == wanted, (flat.name, number)


def test_views_say_what_tables_say(bundle):
    assert rows(bundle, "SELECT compile, status, function FROM v_compiles WHERE log_id = '%s'" % bundle.logs[0].id) == [
        (compile.key, compile.row["status"], compile.row["function"]) for compile in bundle.logs[0].compiles
    ]
    assert [title for (title,) in rows(bundle, "SELECT title FROM v_findings WHERE log_id = '%s'" % bundle.logs[0].id)] == [row["title"] for row in bundle.logs[0].findings()["findings"]]
    for view in VIEWS:
        whole = rows(bundle, f"SELECT count(*) FROM {view.name}")[0][0]
        first = re.search(r"FROM (\w+) AS t", view.select)[1]
        assert whole == rows(bundle, f"SELECT count(*) FROM {first}")[0][0], f"{view.name} loses or doubles rows"


def test_what_an_artifact_is_called_prints_it(built):
    bundle = Bundle.open(built(FIXTURES / "graph_breaks" / "trace").location)
    for what, size in rows(bundle, "SELECT what, size_bytes FROM v_artifacts WHERE sha256 IS NOT NULL LIMIT 40"):
        printed = CliRunner().invoke(cli, ["cat", str(bundle.location), what])
        assert printed.exit_code == 0 and len(printed.stdout_bytes) == size, what


@pytest.mark.parametrize(
    "query, said",
    [
        ("DELETE FROM compiles", "not authorized"),
        ("ATTACH '/etc/passwd' AS x", "not authorized"),
        ("PRAGMA query_only = OFF", "not authorized"),
        ("SELECT load_extension('x')", "not authorized"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("SELEC 1", "syntax error"),
    ],
)
def test_a_query_only_reads(built, query, said):
    place = str(built(FIXTURES / "recompiles" / "trace").location)
    done = CliRunner().invoke(cli, ["sql", place, query])
    assert isinstance(done.exception, BundleError) and said in done.exception.message and done.exception.exit_code == 2


def test_the_command(built, tmp_path):
    place = str(built(FIXTURES / "recompiles" / "trace").location)

    def say(*arguments):
        done = CliRunner().invoke(cli, ["sql", place, *arguments], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    listed = {row["name"]: row for row in json.loads(say("--format", "json"))}
    assert listed["compiles"]["columns"][:3] == ["log_id", "row", "key"] and listed["v_spans"]["help"]
    assert "v_recompiles: Each recompile" in say() and "    log_id, row, key, id" in say()
    query = "SELECT 'a,\x1b[31m\"' AS one, NULL AS other, 0.5 AS half"
    assert say(query).splitlines() == ["one         other  half", "----------  -----  ----", r"a,\x1b[31m\"          0.5"] or "\x1b" not in say(query)
    assert say(query, "--format", "csv") == 'one,other,half\n"a,\x1b[31m""",,0.5\n'
    assert json.loads(say(query, "--format", "json")) == [{"one": 'a,\x1b[31m"', "other": None, "half": 0.5}]
    say("--out", str(tmp_path / "x.db"))
    with sqlite3.connect(tmp_path / "x.db") as connection:
        assert connection.execute("SELECT count(*) FROM v_compiles").fetchone()[0] == len(Bundle.open(place).logs[0].compiles)
    again = CliRunner().invoke(cli, ["sql", place, "--out", str(tmp_path / "x.db")])
    assert again.exception.code == "exists"
    say("--out", str(tmp_path / "x.db"), "--overwrite")


def test_the_document_names_every_view_and_its_queries_run(built):
    assert set(re.findall(r"^\| `(v_\w+)`", DOCUMENT, re.MULTILINE)) == {view.name for view in VIEWS}
    place = str(built(FIXTURES / "recompiles" / "trace").location)
    queries = re.findall(r'^tlparse-bundle sql out/ "([^"]+)"', DOCUMENT, re.MULTILINE)
    assert len(queries) >= 6
    for query in queries:
        assert CliRunner().invoke(cli, ["sql", place, query], catch_exceptions=False).exit_code == 0


def test_dataframes(built):
    bundle = Bundle.open(built(FIXTURES / "ranks4" / "trace").location)
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = bundle.to_pandas("compiles")
    assert isinstance(frame, pandas.DataFrame) and len(frame) == sum(len(log.compiles) for log in bundle.logs) and set(frame["log_id"]) == {log.id for log in bundle.logs}
    table = bundle.to_arrow("compiles")
    assert isinstance(table, pyarrow.Table) and table.num_rows == len(frame) and table["key"].to_pylist() == list(frame["key"])
    with pytest.raises(BundleError, match="no table 'nowhere'"):
        bundle.to_pandas("nowhere")


def test_without_pandas_it_says_what_to_install(built, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(BundleError, match="pandas is not installed"):
        Bundle.open(built(FIXTURES / "recompiles" / "trace").location).to_pandas("compiles")
