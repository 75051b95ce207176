"""Queries that are not trusted: each ends within its limits with a clear error, and the server lives on."""

import json
import math
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.bundle.sql import confined
from tlparse_bundle.bundle.sql.confined import Limits, answer
from tlparse_bundle.cli.main import cli
from traces import ROOT
from waiting import HANG_S

resource = pytest.importorskip("resource", reason="Windows has no limits of memory and processor time")

FIXTURES = ROOT / "fixtures"
LONG = "repeat('x', 49000000)"
SLOW = "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b"
# Queries that are not slow get the time of a busy machine.
LIMITS = Limits(seconds=HANG_S, rows=200, cell_characters=2000, answer_bytes=1 << 20)


@pytest.fixture(scope="module")
def bundle(built):
    return Bundle.open(built(FIXTURES / "recompiles" / "trace").location)


def ask(bundle, query, **changed):
    return answer([("it", bundle)], query, Limits(**{**vars(LIMITS), **changed}))


ATTACKS = {
    "long cells in many rows": (f"SELECT {LONG} || range FROM range(200)", {"seconds": 15}),
    "long cells in many columns": (f"SELECT {', '.join(f'{LONG} || {n}' for n in range(100))}", {"seconds": 15}),
    "a list of a billion": ("SELECT list_sort(range(1000000000))[1]", {}),
    "a text of all texts": ("SELECT string_agg(repeat('x', 1000000) || range, '') FROM range(5000)", {}),
    "search in long texts": (
        "SELECT sum(instr(repeat('a', 40000000 + range), repeat('a', 20000000) || 'b')) FROM range(100000)",
        {"seconds": 2},
    ),
    "endless recursion": (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        {"seconds": 2},
    ),
    "cross join": (SLOW, {"seconds": 2}),
    "a trillion rows": ("SELECT max(range::VARCHAR) FROM range(1000000000000)", {"seconds": 2}),
    "many columns": (f"SELECT {', '.join(f'{n} AS c{n}' for n in range(2000))}", {}),
    "a long query": (f"SELECT '{'x' * 200_000}'", {}),
    "a deep query": (f"SELECT {'(' * 20_000}1{')' * 20_000}", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_ends_within_its_limits(bundle, name):
    query, changed = ATTACKS[name]
    with pytest.raises(BundleError) as caught:
        ask(bundle, query, **changed)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < LIMITS.memory_bytes
    error = caught.value
    assert error.code == "bad-query" and error.exit_code == 2 and error.hint and len(error.message) < 3000
    assert ask(bundle, "SELECT count(*) FROM compiles").rows[0][0] == len(bundle.logs[0].compiles)


def test_rows_cells_and_bytes_are_limited(bundle):
    many = ask(bundle, "SELECT range FROM range(1000000)")
    assert len(many.rows) == 200 and many.more
    long = ask(bundle, f"SELECT {LONG} AS a, range(100000) AS b, 'short' AS c")
    ((text, listed, short),) = long.rows
    assert long.cut == 2 and short == "short"
    assert text.endswith("… (48,998,000 more characters)") and listed.startswith("[0,1,2,")
    assert max(len(text), len(listed)) < 2100
    few = ask(bundle, "SELECT repeat('x', 2000) FROM range(100)", answer_bytes=20_000)
    assert len(few.rows) == 9 and few.more
    named = ask(bundle, f'SELECT 1 AS "{"n" * 50_000}"')
    assert len(named.columns[0]) < 300


def test_a_long_message_is_cut(bundle):
    with pytest.raises(BundleError) as caught:
        ask(bundle, f"SELECT error('{'e' * 50_000}')")
    assert len(caught.value.message) < 3000 and "more characters" in caught.value.message


def test_values_that_json_lacks(bundle):
    query = (
        "SELECT 'nan'::DOUBLE, 'inf'::DOUBLE, 0.5, 1e30::HUGEINT, DATE '2026-01-02', '\\xFF'::BLOB, NULL, [1, NULL],"
        " {'a': 1.5}, true"
    )
    (row,) = ask(bundle, query).rows
    assert row[:2] == ["nan", "inf"] and row[2] == 0.5 and math.isclose(float(row[3]), 1e30)
    assert row[4:] == ["2026-01-02", "ff", None, [1, None], {"a": 1.5}, True]


def test_the_child_gets_no_secrets_and_no_files(bundle, tmp_path, monkeypatch):
    """A module in place of DuckDB reports what a child has."""
    (tmp_path / "duckdb.py").write_text(
        "import json, os, resource, sys\n"
        "files = sorted(int(name) for name in os.listdir('/proc/self/fd')) if sys.platform == 'linux' else []\n"
        "has = [sorted(os.environ), files, resource.getrlimit(resource.RLIMIT_FSIZE)[0],"
        " resource.getrlimit(resource.RLIMIT_AS)[0]]\n"
        f"open({str(tmp_path / 'has.json')!r}, 'w').write(json.dumps(has))\n"
        "raise ImportError('none')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with open(os.devnull, "rb") as other:
        os.set_inheritable(other.fileno(), True)
        with pytest.raises(BundleError, match="DuckDB is not installed"):
            ask(bundle, "SELECT 1")
    names, files, *_ = json.loads((tmp_path / "has.json").read_text())
    assert not {name for name in names if name.startswith(("AWS", "HOME", "PATH"))}
    assert [file for file in files if file > 3] == []  # 3 is the folder that is listed


@pytest.mark.parametrize("program, said", [
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended early"),
    ("import os; os._exit(3)", "exit code 3"),
    ("import os; [os.write(1, b'x' * 1000000) for _ in range(50)]", "too large"),
    ("import threading; threading.Event().wait()", "took longer"),
])  # fmt: skip
def test_a_child_that_misbehaves(bundle, tmp_path, monkeypatch, program, said):
    (tmp_path / "duckdb.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BundleError, match=said):
        ask(bundle, "SELECT 1", seconds=2 if said == "took longer" else HANG_S)


def test_views_are_created_for_the_tables_of_the_query(bundle, tmp_path):
    from tlparse_bundle.bundle.sql.views import views

    def count(query):
        return len(views([("it", bundle)], tmp_path, query).statements)

    assert count("SELECT * FROM COMPILES") < 10 < 100 < count("SHOW TABLES")
    assert count("SELECT * FROM query('SELECT * FROM comp' || 'iles')") > 100
    tables = ask(bundle, "SELECT * FROM (SHOW TABLES) WHERE name LIKE 're%'").rows
    assert ["recompiles"] in tables and len(tables) > 2
    assert ask(bundle, "SELECT count(*) FROM query('SELECT * FROM comp' || 'iles')").rows[0][0] > 1


def test_of_a_remote_bundle_the_child_gets_copies_of_the_tables_it_reads(bundle, hosted, tmp_path):
    pytest.importorskip("aiohttp", reason="the extra 'remote' is not installed")
    from tlparse_bundle.bundle.sql.views import views

    shutil.copytree(bundle.location, tmp_path / "site" / "out")
    remote = Bundle.open(f"{hosted(tmp_path / 'site')}/out")
    query = "SELECT compile, status FROM compiles ORDER BY ALL"
    assert ask(remote, query).rows == ask(bundle, query).rows
    views([("it", remote)], tmp_path / "copies", query)
    copied = [path.name for path in (tmp_path / "copies").rglob("*") if path.is_file()]
    assert copied and all("compiles" in name for name in copied)


def test_a_hostile_bundle_is_read_in_the_child(built, tmp_path):
    """A row of a gigabyte in a small file."""
    shutil.copytree(built(FIXTURES / "recompiles" / "trace").location, out := tmp_path / "out")
    bundle = Bundle.open(out)
    (file,) = bundle.logs[0].files("compiles")
    row = b'{"compile":"' + b"x" * (1 << 30) + b'"}\n'
    (out / file["path"]).write_bytes(bundle.codec.encode(row))
    with pytest.raises(BundleError):
        ask(bundle, "SELECT compile FROM compiles")


def test_the_command_has_the_same_limits(bundle, monkeypatch):
    place = bundle.location

    def said(*arguments):
        done = CliRunner().invoke(cli, ["sql", place, *arguments])
        assert isinstance(done.exception, BundleError) and done.exception.exit_code == 2, done.output
        assert done.stdout == ""
        return done.exception.message

    assert "100,000 rows" in said("SELECT * FROM range(200000)", "--format", "csv")
    assert "1,000,000 characters" in said("SELECT repeat('x', 2000000)", "--format", "json")
    words = said(f"SELECT {LONG} || range FROM range(2000)")
    assert "too much memory" in words or "took longer than 60 s" in words
    done = CliRunner().invoke(
        cli, ["sql", place, "SELECT * FROM range(200000)", "--format", "csv", "--trusted"]
    )
    assert len(done.stdout.splitlines()) == 200_001
    original = confined.Limits
    monkeypatch.setattr(confined, "Limits", lambda **named: original(**{**named, "seconds": 2}))
    assert "took longer than 2 s" in said(SLOW)


def called(places, name, arguments):
    import anyio
    from mcp import Client
    from tlparse_bundle.mcp.open_bundles import Opened
    from tlparse_bundle.mcp.server import server

    async def run():
        async with Client(server(Opened(places))) as client:
            results = []

            async def call(query):
                result = await client.call_tool(name, {"query": query})
                results.append((result.is_error, result.content[0].text))

            async with anyio.create_task_group() as group:
                for query in arguments:
                    group.start_soon(call, query)
            overview = await client.call_tool("overview", {})
            assert not overview.is_error
            return results

    with ThreadPoolExecutor(1) as pool:  # after tests of pages this thread has a loop
        return pool.submit(anyio.run, run).result()


def test_attacks_through_a_client_and_the_server_lives_on(bundle, monkeypatch):
    pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
    from tlparse_bundle.mcp import tools

    monkeypatch.setattr(tools, "_QUERY", Limits(**{**vars(tools._QUERY), "seconds": 3}))
    queries = [ATTACKS["long cells in many rows"][0], SLOW, ATTACKS["endless recursion"][0]]
    for failed, text in called({"it": bundle.location}, "sql", queries):
        assert failed and len(text) < 3000, text
        said = json.loads(text)["error"]
        assert any(words in said for words in ("took longer than 3 s", "too much memory", "other queries"))
    monkeypatch.setattr(tools, "_QUERY", Limits(**{**vars(tools._QUERY), "seconds": HANG_S}))
    ((failed, text),) = called({"it": bundle.location}, "sql", ["SELECT range FROM range(1000)"])
    assert not failed and "first 200 rows" in json.loads(text)["truncated"]


def test_more_queries_than_may_run_at_once_wait_or_are_refused(bundle, monkeypatch):
    pytest.importorskip("mcp", reason="the extra 'mcp' is not installed")
    from tlparse_bundle.mcp import tools

    monkeypatch.setattr(tools, "_QUERY", Limits(**{**vars(tools._QUERY), "seconds": HANG_S}))
    quick = called({"it": bundle.location}, "sql", ["SELECT 1"] * 4)
    assert [failed for failed, _ in quick] == [False] * 4
    monkeypatch.setattr(tools, "_QUERY", Limits(**{**vars(tools._QUERY), "seconds": 2}))
    slow = called({"it": bundle.location}, "sql", [SLOW] * 5)
    said = [json.loads(text)["error"] for failed, text in slow if failed]
    assert len(said) == 5 and sum("other queries are running" in text for text in said) >= 1
