"""The programs in the format documents run, and their answers match the fixtures or a second reading of the
log.
"""

import hashlib
import json
import re
import shutil
import subprocess

import pytest
import traces
from format_document import BLOCKS
from running_server import running
from tlparse_bundle.serve.http.app import create_app
from waiting import HANG_S

RECIPES = {
    (language, mark.split("=")[1]): code for language, mark, code in BLOCKS if mark.startswith("recipe=")
}
CORE = (traces.ROOT / "docs" / "format-core.md").read_text(encoding="utf-8")
PRELUDE = re.search(r"^```python core=prelude\n(.*?)^```$", CORE, re.MULTILINE | re.DOTALL)[1]
JS_PRELUDE = re.search(r"^```js core=main\n(.*?)^const manifest", CORE, re.MULTILINE | re.DOTALL)[1]


def test_every_recipe_has_a_case():
    assert {name for _, name in RECIPES} == {"stack_tree", "output_code", "search_code", "restore"} and (
        "js",
        "output_code",
    ) in RECIPES


def _log(fixture, name="fixture0"):
    (path,) = (traces.ROOT / "fixtures" / fixture / "trace").rglob(f"*_{name}.log")
    return path.read_bytes()


def _records(data):
    """Yield (fields, payload or None) of each record."""
    return [(json.loads(envelope), payload) for envelope, payload in traces.scan(data)]


def _stack_tree(fixture):
    """Return nested text of the stacks of all compiles, by brute force from the dynamo_start records."""
    strings, tree, last = {}, {}, {}  # last: key of a compile -> end of its stack
    started = {}
    for fields, _ in _records(_log(fixture)):
        if "str" in fields:
            strings[fields["str"][1]] = fields["str"][0]
        if "dynamo_start" in fields:
            node = tree
            for frame in fields["dynamo_start"]["stack"]:
                if not strings[frame["filename"]].endswith("torch/_dynamo/convert_frame.py"):
                    node = node.setdefault(
                        f"{strings[frame['filename']]}:{frame['line']} {frame['name']}", {}
                    )
            base = f"{fields['frame_id']}/{fields['frame_compile_id']}"
            if not fields.get("attempt"):
                started[base] = started.get(base, 0) + 1
            last[base if started[base] == 1 else f"{base}@{started[base]}"] = node
    for key, node in last.items():
        node.setdefault(None, []).append(key)

    def text(node, depth):
        for label, child in node.items():
            if label is not None:
                yield "  " * depth + label + "".join(f" [{key}]" for key in child.get(None, []))
                yield from text(child, depth + 1)

    return "\n".join(text(tree, 0))


def _output_code(fixture, frame_id):
    return [
        payload.decode()
        for fields, payload in _records(_log(fixture))
        if "inductor_output_code" in fields and fields["frame_id"] == frame_id
    ]


def _grep(fixture, needle):
    """Yield (artifact name, line) of every hit in the graphs and the code of a log."""
    code = {"dynamo_output_graph", "aot_inference_graph", "inductor_output_code", "fx_graph_runnable"}
    hits = []
    for fields, payload in _records(_log(fixture)):
        name = fields["artifact"]["name"] if "artifact" in fields else next(iter(fields))
        if name in code or name.endswith("_graph"):
            hits += [
                (name, number)
                for number, line in enumerate(payload.decode().split("\n"), 1)
                if needle in line
            ]
    return hits


@pytest.fixture
def run(built):
    """Return run(recipe, trace): the recipe's function, the bundle read by the core document's program, and
    its first log.
    """

    def make(name, trace):
        scope = {}
        exec(PRELUDE + RECIPES["python", name], scope)
        bundle = scope["Bundle"](built(trace).folder)
        return scope[name], bundle, bundle.manifest["logs"][0]

    return make


def _trace(fixture):
    return traces.ROOT / "fixtures" / fixture / "trace"


def test_stack_tree(run):
    stack_tree, bundle, log = run("stack_tree", _trace("dynamo_reset"))
    assert stack_tree(bundle, log) == _stack_tree("dynamo_reset") and "[0/0@2]" in stack_tree(bundle, log)


def test_output_code(run):
    output_code, bundle, log = run("output_code", _trace("train_step"))
    assert (
        output_code(bundle, log, "0/0") == _output_code("train_step", 0)
        and len(output_code(bundle, log, "0/0")) == 2
    )


def test_search_code(run):
    search_code, bundle, _ = run("search_code", _trace("basic_inference"))
    assert (
        [(name, number) for _, _, name, number in search_code(bundle, "relu")]
        == _grep("basic_inference", "relu")
        != []
    )


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_restore(run, path):
    restore, bundle, log = run("restore", path)
    assert hashlib.sha256(restore(bundle, log)).hexdigest() == log["source"]["sha256"]


@pytest.mark.skipif(shutil.which("node") is None, reason="JavaScript recipes need node")
def test_output_code_in_javascript(built, tmp_path):
    place = built(_trace("train_step")).folder
    program = tmp_path / "recipe.mjs"
    with running(create_app({"out": place}, {})) as port:
        address = f"http://127.0.0.1:{port}/?bundle=/bundles/out/"
        tail = (
            "const [log] = (await json('manifest.json')).logs;\nconsole.log(JSON.stringify(await"
            " output_code(log, '0/0')));"
        )
        program.write_text(
            f"globalThis.location = new URL({address!r});\n{JS_PRELUDE}{RECIPES['js', 'output_code']}{tail}",
            encoding="utf-8",
        )
        done = subprocess.run(["node", program], capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == _output_code("train_step", 0)
