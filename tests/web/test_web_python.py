"""Python in the browser, from a plain server: its bundles equal the package's on this machine, byte for byte."""

import gzip
import hashlib
import os
import shutil

import pytest
import traces
import zstandard
from conftest import watched
from many_ranks import rank_log, write_ranks
from pages import open_page
from plain_server import plain_server
from playwright.sync_api import expect
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.json_codec import dumps
from tlparse_bundle.serve.browser_python import python_folder
from tlparse_bundle.serve.publish.export import export, viewers_of
from tlparse_bundle.serve.publish.site import write_site
from tlparse_bundle.statements.runs.compare.document import compare

if python_folder() is None:
    pytest.skip(
        "viewers/vendor/python is missing: install the checkout with Node present", allow_module_level=True
    )

FIXTURES = traces.ROOT / "fixtures"
EVERY_TABLE = (
    *("killed", "nonascii", "aoti", "failures", "fork_children", "ddp_split", "export_dtrace", "overlap_scheduling", "memory_budget"),
    *("compiled_autograd", "dynamic_shapes", "recompiles", "caches", "provenance_graphs", "ranks_killed", "ranks_extra_break", "ranks_missing_collective"),
)  # fmt: skip
GZIP, GZIP_NOWHERE = (
    "H4sIAAAAAAACA",
    "H4sIAAAAAAAC/",
)  # the platform, which newer versions of Python leave open

START = """async () => {
  const { Python } = await import(`${location.origin}/viewers/lib/local/python.js`);
  globalThis.store = await import(`${location.origin}/viewers/lib/local/store.js`);
  globalThis.python = new Python();
  globalThis.sha256 = async (blob) => [...new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  for (const webkitdirectory of [true, false]) document.body.append(Object.assign(document.createElement('input'), { type: 'file', multiple: true, webkitdirectory, id: webkitdirectory ? 'folder' : 'files' }));
  globalThis.build = async (id, codec = 'none') => {
    const files = [...document.getElementById(id).files].map((file) => ({ path: file.webkitRelativePath || file.name, data: file }));
    globalThis.progress = [];
    try {
      const made = await python.build(files, { name: 'a trace', codec, onprogress: (...bytes) => progress.push(bytes) });
      globalThis.kept = (await store.read(made.id)).all();
      return { left_out: made.left_out, files: Object.fromEntries(await Promise.all([...kept].map(async ([path, data]) => [path, await sha256(data)]))) };
    } catch (error) {
      return { message: error.message, hint: error.hint, code: error.code };
    }
  };
  await Promise.race([python.ready, new Promise((_, reject) => setTimeout(() => reject(new Error('Python does not start')), 120_000))]);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory, bundle_of):
    folder = tmp_path_factory.mktemp("python") / "site"
    write_site([bundle_of("graph_breaks")], folder)
    with plain_server(folder) as address:
        yield address
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def started(browser, site):
    """A page in which Python has started, which takes a while; and its errors."""
    page = open_page(browser)
    noted = watched(page)
    page.goto(f"{site}/viewers/home/")
    page.evaluate(START)
    yield page, noted
    page.context.close()


@pytest.fixture
def python(started, site):
    page, (problems, addresses) = started
    page.evaluate("store.removeAll()")
    yield page
    assert problems == []
    assert (
        f"{site}/viewers/vendor/python/pyodide.asm.wasm" in addresses
    )  # requests of a worker are recorded, too
    assert {address.split("/viewers/")[0] for address in addresses if not address.startswith("blob:")} <= {
        site,
        f"{site}/bundles.json",
        f"{site}/favicon.ico",
    }


def natively(paths, folder, codec="none"):
    """Return the hashes of the files of a native build, by path."""
    build(discover(paths), folder, codec=codec, jobs=1)
    found = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
    shutil.rmtree(folder)
    return found


def in_page(page, path, codec="none"):
    selector = "#folder" if path.is_dir() else "#files"
    page.set_input_files(selector, path)
    return page.evaluate("([id, codec]) => build(id, codec)", [selector[1:], codec])


def filled_tables(bundle):
    """Return the tables of a bundle that have rows."""
    return set(bundle.manifest.get("rank_tables", ())).union(
        *([name for name, table in log.directory["tables"].items() if table["rows"]] for log in bundle.logs)
    )


def test_every_table_has_rows_in_the_fixtures_below(bundle_of):
    filled = {name: filled_tables(Bundle.open(bundle_of(name))) for name in traces.FIXTURES}
    assert set().union(*filled.values()) == set().union(*(filled[name] for name in EVERY_TABLE))


def test_fixtures_have_the_same_bundle(python, tmp_path):
    different = {}
    for fixture in EVERY_TABLE:
        trace = FIXTURES / fixture / "trace"
        found = in_page(python, trace)
        if found.get("files") != natively([trace], tmp_path / "out"):
            different[fixture] = found.get("message")
    assert different == {}


def test_logs_as_people_have_them(python, tmp_path):
    log = next((FIXTURES / "recompiles" / "trace").iterdir())
    text = log.read_bytes()
    (tmp_path / "cut.log").write_bytes(text[:-1000])
    (tmp_path / "small.log.gz").write_bytes(gzip.compress(text))
    (tmp_path / "frames.log.zst").write_bytes(
        zstandard.compress(text[:100_000]) + zstandard.compress(text[100_000:])
    )
    (tmp_path / "odd – name.log").write_bytes(
        text.replace(b'"co_name"', b'"co_n\xffme"').replace(b"1e-05", b"1e400") + b"no record\n"
    )
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    shutil.copy(log, mixed / "dedicated_log_torch_trace_rank_3_x.log")
    (mixed / "notes.txt").write_text("nothing")
    (mixed / "broken.log.gz").write_bytes(gzip.compress(text)[:5000])
    for path in sorted(tmp_path.iterdir()):
        found = in_page(python, path)
        assert found.get("files") == natively([path], tmp_path / "out"), (path.name, found)
    assert "broken.log.gz" in in_page(python, mixed)["left_out"]


def test_eight_ranks_have_the_same_verdict(python, site, tmp_path):
    functions = [f"block_{number}" for number in range(5)]
    folder = tmp_path / "job"
    folder.mkdir()
    write_ranks(
        folder, [rank_log(rank, functions, odd="block_3" if rank == 5 else None) for rank in range(8)]
    )
    assert in_page(python, folder)["files"] == natively([folder], tmp_path / "out")
    build(discover([folder]), tmp_path / "out", codec="none", jobs=1)
    verdict = Bundle.open(tmp_path / "out").job["text"]
    assert "On rank 5" in verdict
    page = python.context.new_page()
    page.goto(f"{site}/viewers/multirank/?stored={python.evaluate('async () => (await store.list())[0].id')}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(verdict.replace("`", "").split(". ")[0])
    page.close()


def test_a_file_that_is_not_a_log_is_reported_as_on_the_command_line(python, tmp_path, monkeypatch):
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("V something else\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"V1121 " * 1000)[:50])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes.txt").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    for name in sorted(os.listdir()):
        with pytest.raises(BundleError) as error:
            discover([name])
        assert in_page(python, tmp_path / name) == {
            "message": error.value.message,
            "hint": error.value.hint,
            "code": error.value.code,
        }


def test_progress_and_an_end_in_the_middle(python, tmp_path):
    log = tmp_path / "large.log"
    log.write_bytes(next((FIXTURES / "transformer" / "trace").iterdir()).read_bytes() * 30)
    python.set_input_files("#files", log)
    assert (
        python.evaluate("""async () => {
      const files = [...document.getElementById('files').files].map((file) => ({ path: file.name, data: file })), stop = new AbortController();
      return python.build(files, { name: 'x', signal: stop.signal, onprogress: () => stop.abort() }).catch((error) => error.code);
    }""")
        == "cancelled"
    )
    found = in_page(python, log)
    assert found["files"] == natively([log], tmp_path / "out")
    reported = python.evaluate("progress")
    assert (
        len(reported) > 2
        and all(0 < done <= total == log.stat().st_size for done, total in reported)
        and reported == sorted(reported)
    )
    assert len(python.evaluate("store.list()")) == 1  # nothing of the canceled one


def test_results_from_bundles(python, bundle_of, tmp_path, new_page):
    base, new = (bundle_of(name) for name in ("recompiles", "graph_breaks"))
    python.evaluate("globalThis.sides = []")
    for path in (base, new):
        python.set_input_files("#folder", path)
        python.evaluate(
            "sides.push(new Map([...document.getElementById('folder').files].map((file) =>"
            " [file.webkitRelativePath.split('/').slice(1).join('/'), file])))"
        )
    document = compare([("before", Bundle.open(base))], [("after", Bundle.open(new))])
    assert (
        python.evaluate(
            "async () => { globalThis.pair = await python.compare(...sides, { names: ['before', 'after'] });"
            " return pair.text(); }"
        )
        == dumps(document).decode()
    )
    page = b"".join(export(Bundle.open(base), viewers_of(Bundle.open(base)))).decode()
    assert python.evaluate("async () => (await python.export(sides[0])).text()").replace(
        GZIP_NOWHERE, GZIP
    ) == page.replace(GZIP_NOWHERE, GZIP)
    made = python.evaluate("async () => (await python.exportPair(...sides, pair)).text()")
    (tmp_path / "changes.html").write_text(made)
    page = new_page()
    page.goto((tmp_path / "changes.html").as_uri())
    page.get_by_role("heading", level=1).wait_for()
