"""Bundles in a browser's private storage: whole or not at all, for all pages and workers of the origin."""

import pytest
from conftest import VIEWERS

# In the page: the module as 'store', `inWorker(source)` to run code in a worker, and `names()` for the files
# on disk.
BEGIN = """async () => {
  globalThis.store = await import(`${location.origin}/lib/local/store.js`);
  globalThis.bytes = (text) => new TextEncoder().encode(text);
  globalThis.text = async (found) => found && { ...found.about, files: Object.fromEntries(await Promise.all([...found.all()].map(async ([path, data]) => [path, await data.text()]))) };
  globalThis.differs = async (blob, data) => { const found = new Uint8Array(await blob.arrayBuffer()); return found.length !== data.length || found.some((byte, i) => byte !== data[i]); };
  globalThis.folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('tlparse-bundles', { create: true });
  globalThis.names = async () => { const found = []; for await (const name of (await folder()).keys()) found.push(name); return found.sort(); };
  globalThis.put = async (name, text) => { const stream = await (await (await folder()).getFileHandle(name, { create: true })).createWritable(); await stream.write(text); await stream.close(); };
  globalThis.begin = (source) => new Worker(URL.createObjectURL(new Blob([`const store = await import('${location.origin}/lib/local/store.js'); const bytes = (text) => new TextEncoder().encode(text); ${source}`], { type: 'text/javascript' })), { type: 'module' });
  globalThis.inWorker = (source) => new Promise((resolve, reject) => {
    const worker = begin(source);
    worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
    worker.onerror = (event) => reject(new Error(event.message ?? 'the worker did not start'));
  });
}"""
BLOB = "blobs/" + "ab/ab" + "0" * 62


@pytest.fixture
def shop(new_page, hosted):
    """A page with the store, in a browser with empty storage.

    The server is a plain one, and the page a list of files.
    """
    page = new_page()
    page.goto(hosted(VIEWERS) + "/lib/local/")
    page.evaluate(BEGIN)
    return page


def test_saved_bundles_are_read_elsewhere(shop):
    first = shop.evaluate(
        "blob => store.save({ name: 'run 1', kind: 'bundle', log_count: 2 }, new Map([['manifest.json', new"
        " Blob(['{\"a\": 1}'])], ['logs/x/compiles.jsonl', bytes('')], [blob, bytes('payload')]]))",
        BLOB,
    )
    second = shop.evaluate(
        "inWorker(`async function* files() { yield ['comparison.json', bytes('{}')]; } postMessage(await"
        f" store.save({{ name: 'a → b', kind: 'comparison', base: '{first}', new: '{first}' }}, files()))`)"
    )
    other = shop.context.new_page()
    other.goto(shop.url)
    other.evaluate(BEGIN)
    found = other.evaluate("id => store.read(id).then(text)", first)
    assert found.pop("stored_ms") > 1.7e12
    assert found == {
        "id": first,
        "name": "run 1",
        "kind": "bundle",
        "log_count": 2,
        "size_bytes": 15,
        "files": {"manifest.json": '{"a": 1}', "logs/x/compiles.jsonl": "", BLOB: "payload"},
    }
    assert other.evaluate(
        "id => inWorker(`postMessage([...(await store.read('${id}')).all().keys()])`)", second
    ) == ["comparison.json"]
    assert [row["id"] for row in other.evaluate("store.list()")] == [second, first]
    assert other.evaluate(
        "async ids => [await store.hasStore(), await store.read(ids[0] + 'x'), await"
        " store.read('0'.repeat(16))]",
        [first],
    ) == [True, None, None]
    assert other.evaluate(
        "async id => { const found = await store.read(id); return [await found.file('manifest.json').text(),"
        " found.file('../manifest.json'), found.file('logs/x/none.json')]; }",
        first,
    ) == ['{"a": 1}', None, None]
    other.evaluate("id => store.remove(id)", first)
    assert shop.evaluate("async id => [await store.read(id), (await store.list()).length]", first) == [
        None,
        1,
    ]
    shop.evaluate("store.removeAll()")
    assert shop.evaluate("names()") == []


def test_many_small_files_and_large_ones_come_back_as_they_were(shop):
    files = (
        "const files = new Map([['manifest.json', bytes('{}')]]); for (let i = 0; i < 1500; i++)"
        " files.set(`logs/a/n${i}.json`, i % 500 ? bytes(`${i}`.repeat(i)) : new Uint8Array(3_000_000).fill(i"
        " % 7 + 1));"
    )
    same = (
        f"(async (id) => {{ {files} const found = (await store.read(id)).all(); if (found.size !=="
        " files.size) return found.size; for (const [path, data] of files) if (await"
        " differs(found.get(path), data)) return path; return null; })"
    )
    there = shop.evaluate(
        f"inWorker(`{files.replace('`', chr(92) + '`').replace('$', chr(92) + '$')} postMessage(await"
        " store.save({ name: 'a', kind: 'bundle' }, files));`)"
    )
    here = shop.evaluate(
        f"(() => {{ {files} return store.save({{ name: 'b', kind: 'bundle' }}, files); }})()"
    )
    assert [shop.evaluate(same, id) for id in (there, here)] == [None, None]


def test_interrupted_writes_leave_nothing(shop):
    assert "gone wrong" in shop.evaluate(
        "store.save({ name: 'a', kind: 'bundle' }, (function* () { yield ['manifest.json', bytes('{}')];"
        " throw new Error('gone wrong'); })()).catch(String)"
    )
    assert shop.evaluate("names()") == []
    # A worker that writes and waits: while it lives its file stays, and is not listed. When it ends, the file
    # is removed.
    shop.evaluate("""() => new Promise((resolve) => {
      globalThis.writer = begin("async function* files() { yield ['manifest.json', bytes('{}')]; postMessage(0); await new Promise(() => {}); } await store.save({ name: 'b', kind: 'bundle' }, files());");
      writer.onmessage = resolve;
    })""")
    assert shop.evaluate("async () => [(await store.list()).length, (await names()).length]") == [0, 1]
    shop.evaluate("writer.terminate()")
    shop.wait_for_function("async () => (await store.list()).length === 0 && (await names()).length === 0")


def test_an_index_is_not_trusted(shop):
    ids = [letter * 16 for letter in "abcd"]
    files = {
        "manifest.json": [0, 2],
        "../manifest.json": [0, 1],
        "logs/x/a.json": [3, 9],
        "logs/x/b.json": [-1, 2],
        "logs/x/c.json": ["0", 1],
        "__proto__": [0, 1],
    }
    for name, value in (
        (ids[0], {"version": 1, "about": {"name": "x", "kind": "bundle", "id": "other"}, "files": files}),
        (ids[1], {"version": 2}),
        (ids[2], {"version": 1, "about": {"name": "no data", "kind": "bundle"}, "files": {}}),
    ):
        shop.evaluate("([name, value]) => put(`${name}.json`, JSON.stringify(value))", [name, value])
    shop.evaluate(
        "ids => Promise.all([put(`${ids[0]}.data`, '{}and more'), put(`${ids[1]}.data`, ''),"
        " put(`${ids[3]}.json`, '{\"version\": 1, \"abo'), put('holiday.txt', '')])",
        ids,
    )
    assert shop.evaluate("id => store.read(id).then(text)", ids[0]) == {
        "id": ids[0],
        "name": "x",
        "kind": "bundle",
        "files": {"manifest.json": "{}"},
    }
    assert shop.evaluate("ids => Promise.all(ids.map(store.read))", ids[1:]) == [None, None, None]
    assert [row["id"] for row in shop.evaluate("store.list()")] == [ids[0]]
    assert shop.evaluate("names()") == [
        *(name + ending for name in ids[:2] for ending in (".data", ".json")),
        "holiday.txt",
    ], "what another version wrote stays"


def test_no_room_and_no_storage_are_reported(shop):
    session = shop.context.new_cdp_session(shop)
    session.send("Storage.overrideQuotaForOrigin", {"origin": shop.evaluate("origin"), "quotaSize": 300_000})
    shop.evaluate(
        "store.save({ name: 'small run', kind: 'bundle' }, new Map([['manifest.json', new"
        " Uint8Array(100_000)]]))"
    )
    much = "const much = new Map([['manifest.json', new Uint8Array(1_000_000)]]);"
    for failure in (shop.evaluate(f"(() => {{ {much} return store.save({{ name: 'big run', kind: 'bundle' }}, much).catch((error) => [error.code, error.message]); }})()"),
                 shop.evaluate(f"inWorker(`{much} postMessage(await store.save({{ name: 'big run', kind: 'bundle' }}, much).catch((error) => [error.code, error.message]))`)")):  # fmt: skip
        assert failure[0] == "room", failure
        assert "There is no room for big run" in failure[1] and "What it keeps takes up 0.1 MB" in failure[1]
    assert len(shop.evaluate("names()")) == 2
    shop.context.add_init_script(
        "StorageManager.prototype.getDirectory = async () => { throw new DOMException('no',"
        " 'SecurityError'); };"
    )
    shop.reload()
    shop.evaluate(BEGIN)
    assert shop.evaluate(
        "async () => [await store.hasStore(), await store.save({ name: 'a', kind: 'bundle' }, new"
        " Map()).catch((error) => error.code)]"
    ) == [False, "none"]


@pytest.mark.parametrize("given", [0, 4294967288])
def test_partial_writes_are_not_kept(shop, given):
    """4294967288 is Chromium's result for a full disk in a private window: its error code -8 as unsigned."""
    short = (
        "const { write } = FileSystemSyncAccessHandle.prototype;"
        " FileSystemSyncAccessHandle.prototype.write = function (data, place) { write.call(this,"
        f" data.subarray(0, 5), place); return {given}; }};"
    )
    failure = shop.evaluate(
        f"inWorker(`await store.hasStore(); {short} postMessage(await store.save({{ name: 'run', kind:"
        " 'bundle' }, new Map([['manifest.json', bytes('0123456789')]])).catch((error) => [error.code]))`)"
    )
    assert failure == ["room"]
    assert shop.evaluate("names()") == []
