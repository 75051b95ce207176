"""The programs in the format document run; their answers are what is known of the fixtures, or read from the log in another way."""

import functools
import hashlib
import json
import shutil
import subprocess

import pytest
import traces
from format_document import BLOCKS
from tlparse_bundle import build, discover
from waiting import HANG_S

RECIPES = {(language, mark.split("=")[1]): code for language, mark, code in BLOCKS if mark.startswith("recipe=")}
MAX_RECIPE_LINES = 25


def test_recipes_are_short_and_the_four_questions_have_one_for_viewers():
    python, js = ({name for language, name in RECIPES if language == wanted} for wanted in ("python", "js"))
    assert js >= {"prelude", "statuses", "stack_tree", "output_code", "rank_groups"} and python >= {"prelude", "statuses", "restore"}
    assert len(python | js) == 7
    for (language, name), code in RECIPES.items():
        assert name == "prelude" or len(code.splitlines()) <= MAX_RECIPE_LINES, (language, name)


def _truth(fixture):
    return json.loads((traces.ROOT / "fixtures" / fixture / "truth.json").read_text())["logs"]


def _log(fixture, name="fixture0"):
    (path,) = (traces.ROOT / "fixtures" / fixture / "trace").rglob(f"*_{name}.log")
    return path.read_bytes()


def _records(data):
    """(fields, payload text or None) of each record, and its line."""
    found, line = [], 1
    for envelope, payload in traces.scan(data):
        found.append((json.loads(envelope), payload, line))
        line += 1 if payload is None else 2 + payload.count(b"\n")
    return found


def _statuses(fixture):
    wanted = []
    for path, truth in _truth(fixture).items():
        log_id = path.split("/")[-1].removeprefix("dedicated_log_torch_trace_").removesuffix(".log")
        wanted += [[log_id, key, known["status"], known["function"]] for key, known in truth["compiles"].items()]
    return wanted


def _stack_tree(fixture):
    """Nested text of the stacks of all dynamo_start records, by brute force."""
    strings, tree, started = {}, {}, {}  # started: frame compile -> [occurrence, keys where its stack ends]
    for fields, _, _ in _records(_log(fixture)):
        frame_compile = f"{fields.get('frame_id')}/{fields.get('frame_compile_id')}"
        if "str" in fields:
            strings[fields["str"][1]] = fields["str"][0]
        if "dynamo_start" in fields:
            node = tree
            for frame in fields["dynamo_start"]["stack"]:
                if not strings[frame["filename"]].endswith("torch/_dynamo/convert_frame.py"):
                    node = node.setdefault(f"{strings[frame['filename']]}:{frame['line']} {frame['name']}", {})
            started[frame_compile] = [started.get(frame_compile, [0])[0] + 1, node.setdefault(None, [])]
        if frame_compile in started:
            occurrence, keys = started[frame_compile]
            key = frame_compile + (f"_{fields['attempt']}" if fields.get("attempt") else "") + (f"@{occurrence}" if occurrence > 1 else "")
            if key not in keys:
                keys.append(key)

    def text(node, depth):
        for label, child in node.items():
            if label is not None:
                yield "  " * depth + label + "".join(f" [{key}]" for key in child.get(None, []))
                yield from text(child, depth + 1)

    return "\n".join(text(tree, 0))


def _output_code(fixture, frame_id):
    records = _records(_log(fixture))
    return [payload.decode() for fields, payload, _ in records if "inductor_output_code" in fields and fields["frame_id"] == frame_id]


def _grep(fixture, needle):
    """(artifact name, line) of every hit in the graphs and the code of a log."""
    code = {"dynamo_output_graph", "aot_inference_graph", "inductor_output_code", "fx_graph_runnable"}
    found = []
    for fields, payload, _ in _records(_log(fixture)):
        name = fields["artifact"]["name"] if "artifact" in fields else next(iter(fields))
        if name in code or name.endswith("_graph"):
            found += [[name, number] for number, line in enumerate(payload.decode().split("\n"), 1) if needle in line]
    return found


def _check_statuses(found):
    assert sorted(found) == sorted(_statuses("ranks4"))


def _check_statuses_with_attempts(found):
    assert sorted(found) == sorted(_statuses("graph_breaks"))


def _check_stack_tree(found):
    assert found == _stack_tree("dynamo_reset")
    assert "[0/0@2]" in found


def _check_output_code(found):
    assert found == _output_code("train_step", 0)
    assert len(found) == 2


def _check_rank_groups(found):
    differing = {key for truth in _truth("ranks4").values() for key in truth["facts"]["differs_from_other_ranks"]}
    assert {key for key, groups in found.items() if len(groups) > 1} == differing == {"1/0"}
    assert found["1/0"] == [["rank_0_fixture0", "rank_1_fixture0", "rank_3_fixture0"], ["rank_2_fixture0"]]


def _check_search(found):
    assert [[name, number] for _, _, name, number in found] == _grep("basic_inference", "relu")
    assert len({name for _, _, name, _ in found}) > 2


def _check_restore(found):
    assert found == hashlib.sha256(_log("nonascii")).hexdigest()


CASES = {
    "statuses": ("statuses", "ranks4", [], _check_statuses),
    "statuses-attempts": ("statuses", "graph_breaks", [], _check_statuses_with_attempts),
    "stack_tree": ("stack_tree", "dynamo_reset", ["fixture0"], _check_stack_tree),
    "output_code": ("output_code", "train_step", ["fixture0", "0/0"], _check_output_code),
    "rank_groups": ("rank_groups", "ranks4", ["inductor_collective_schedule"], _check_rank_groups),
    "search_code": ("search_code", "basic_inference", ["relu"], _check_search),
    "restore": ("restore", "nonascii", ["fixture0"], _check_restore),
}


def test_every_recipe_has_a_case():
    assert {case[0] for case in CASES.values()} == {name for _, name in RECIPES} - {"prelude"}


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """stored(fixture, codec): the folder of its bundle."""

    @functools.cache
    def build_once(fixture, codec):
        out = tmp_path_factory.mktemp(f"docs-{fixture}-{codec}") / "bundle"
        build(discover([traces.ROOT / "fixtures" / fixture / "trace"]), out, codec=codec, jobs=1)
        return out

    return build_once


def cases(language):
    return [case for case, (name, *_) in CASES.items() if (language, name) in RECIPES]


@pytest.mark.parametrize("case", cases("python"))
def test_python_recipe(stored, case):
    name, fixture, arguments, check = CASES[case]
    scope = {}
    exec(RECIPES["python", "prelude"] + RECIPES["python", name], scope)
    found = scope[name](scope["Bundle"](stored(fixture, "zstd")), *arguments)
    check(hashlib.sha256(found).hexdigest() if isinstance(found, bytes) else found)


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_python_recipe_restores_every_log(built, path):
    scope = {}
    exec(RECIPES["python", "prelude"] + RECIPES["python", "restore"], scope)
    bundle = built(path)
    data = scope["restore"](scope["Bundle"](bundle.folder), bundle.logs[0].id)
    assert hashlib.sha256(data).hexdigest() == bundle.logs[0].row["source"]["sha256"]


TAIL = """
const found = await NAME(await Bundle.open(process.argv[2]), ...JSON.parse(process.argv[3]));
const { createHash } = await import("node:crypto");
console.log(JSON.stringify(found instanceof Uint8Array ? createHash("sha256").update(found).digest("hex") : found));
"""


def _run_js(name, folder, url, arguments):
    program = folder / f"{name}.mjs"
    program.write_text(RECIPES["js", "prelude"] + RECIPES["js", name] + TAIL.replace("NAME", name), encoding="utf-8")
    done = subprocess.run(["node", program, url, json.dumps(arguments)], capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="JavaScript recipes need node")


@needs_node
@pytest.mark.parametrize("case", cases("js"))
def test_js_recipe(stored, hosted, tmp_path, case):
    name, fixture, arguments, check = CASES[case]
    check(_run_js(name, tmp_path, f"{hosted(stored(fixture, 'gzip'))}/", arguments))


@needs_node
def test_js_prelude_reads_zstd(stored, hosted, tmp_path):
    decoder = traces.ROOT / "viewers" / "lib" / "vendor" / "fzstd.js"
    if not decoder.is_file():
        pytest.skip(f"{decoder} is not there; the package build puts it in place")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(decoder, tmp_path / "fzstd.js")
    _check_output_code(_run_js("output_code", tmp_path, f"{hosted(stored('train_step', 'zstd'))}/", ["fixture0", "0/0"]))
