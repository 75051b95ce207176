"""The documents tell the truth: generated parts are current, examples validate, recipes run, names exist."""

import functools
import hashlib
import http.server
import json
import re
import shlex
import shutil
import subprocess
import threading
import types

import click
import pytest
import traces
from jsonschema import Draft202012Validator

from tlparse_bundle import build, discover
from tlparse_bundle.bundle import layout
from tlparse_bundle.cli import cli

DOCUMENT = traces.ROOT / "docs" / "json-format.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
GUIDES = [name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "docs/share.md", "docs/provenance.md", "viewers/README.md", "viewers/FORK.md", "fixtures/README.md") if (traces.ROOT / name).is_file()]
BLOCKS = re.findall(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
RECIPES = {(language, mark.split("=")[1]): code for language, mark, code in BLOCKS if mark.startswith("recipe=")}
MAX_BYTES = 95_000  # 25,000 tokens of o200k_base, in which one has 3.83 bytes of this page
MAX_RECIPE_LINES = 25

script = types.ModuleType("docs")
script.__file__ = str(traces.ROOT / "scripts" / "docs")
exec(compile((traces.ROOT / "scripts" / "docs").read_text(encoding="utf-8"), script.__file__, "exec"), script.__dict__)
SCHEMAS = script.schemas()


# The format document


def test_generated_regions_are_current():
    assert script.regenerate(TEXT) == TEXT, "stale: run scripts/docs"


def test_declarations_are_current():
    assert script.DECLARATIONS.read_text(encoding="utf-8") == script.declarations(SCHEMAS), "stale: run scripts/docs"


def test_fits_into_one_context():
    assert len(TEXT.encode()) <= MAX_BYTES, "shorten; for a table that few viewers need take the region 'names' instead of 'fields'"


def test_versions_agree():
    version = f"{layout.FORMAT_MAJOR}.{layout.FORMAT_MINOR}"
    changelog = (traces.ROOT / "schema" / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.MULTILINE)[1] == version
    assert f"# The bundle format, version {version}\n" in TEXT
    assert re.search(r"^- (\d+\.\d+):", TEXT.split("## Revisions")[1], re.MULTILINE)[1] == version
    assert {schema["$id"].split(":")[2] for schema in SCHEMAS.values()} == {version}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_in_the_section_of_its_table(name):
    assert f"\n### {name}\n" in TEXT, (
        f"write a section '### {name}' with the region 'fields {name}', or 'names {name}' for a table that few need"
    )
    section = TEXT.split(f"\n### {name}\n")[1].split("\n### ")[0]
    for path, _, _ in script.explained(SCHEMAS[name]):
        in_field_table = f"| `{script.shown(SCHEMAS[name], path)}` |" in section
        in_shape = f"generated: names {name}" in section and re.search(rf"[{{ ]{re.escape(path.split('.')[-1])}[,:}}]", section)
        assert in_field_table or in_shape, path


# Names in the prose that look like fields and are none: torch's own key, our package, the log of the example.
NO_FIELDS = {"has_payload", "tlparse_bundle", "dedicated_log_torch_trace_rank_0_tiny"}


def test_every_field_of_the_prose_is_in_a_schema():
    """Every name with an underscore in code of the prose: a field, a table, a kind of event, or a value of an enum."""
    known = set(SCHEMAS) | {kind.key.removeprefix("artifact:") for family in script.FAMILIES for kind in family.KINDS} | NO_FIELDS

    def collect(node):
        if isinstance(node, dict):
            known.update(node.get("properties", ()), (value for value in node.get("enum", ()) if isinstance(value, str)))
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            collect(child)

    collect(list(SCHEMAS.values()))
    prose = re.sub(r"```.*?```|<!-- generated: (?:vocabulary|diagnostics).*?<!-- end -->", "", TEXT, flags=re.DOTALL)
    words = [word for code in re.findall(r"`([^`\n]+)`", prose) for word in re.findall(r"(?<![\w/.-])[a-z]+(?:_[a-z0-9]+)+(?![\w/(-])", code)]
    assert len(words) > 500
    assert set(words) - known == set()


def test_every_relation_begins_at_a_field():
    block = re.search(r"## Relations\n\n```text\n(.*?)```", TEXT, re.DOTALL)[1]
    paths = {name: {path.replace("[]", "") for path, _, _ in script.fields(document)} for name, document in SCHEMAS.items()}
    checked = 0
    for line in filter(None, block.splitlines()):
        table = prefix = ""
        for item in line.split("→")[0].strip().split(", "):
            if "(metadata)" in line or "else" in item:
                continue
            if item.startswith("."):
                item = f"{prefix}{item}"
            table, _, path = item.replace("[]", "").removesuffix(".*").partition(".")
            prefix = item.rpartition(".")[0]
            pattern = re.escape(path).replace(r"\*", "[^.]+")
            assert any(re.fullmatch(pattern, known) for known in paths[table]), item
            checked += 1
    assert checked > 40


def test_the_tables_that_every_viewer_needs_have_an_example():
    marked = {re.split("[#/]", mark.split("=")[1])[0] for _, mark, _ in BLOCKS if mark.startswith(("schema=", "columns="))}
    assert marked >= set(script.CORE)


@pytest.mark.parametrize(
    "mark, code", [pytest.param(mark, code, id=mark or "plain") for language, mark, code in BLOCKS if language == "json"]
)
def test_json_blocks(mark, code):
    value = json.loads(code)
    kind, _, where = mark.partition("=")
    name, _, pointer = where.partition("#")
    schema = SCHEMAS[name]
    for part in filter(None, pointer.split("/")):
        schema = schema[part]
    if kind == "columns":
        columns = {key: node["items"] for key, node in schema["properties"].items() if node.get("type") == "array"}
        schema = {"type": "object", "additionalProperties": False, "required": list(columns), "properties": columns}
    errors = Draft202012Validator({**schema, "$defs": SCHEMAS[name].get("$defs", {})}).iter_errors(value)
    assert [error.message for error in errors] == []


def test_links_inside_lead_somewhere():
    anchors = {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_words_that_say_nothing():
    prose = re.sub(r"<!-- generated.*?<!-- end -->|```.*?```", "", TEXT, flags=re.DOTALL)
    assert re.findall(r"\betc\b|\busually\b|\bsimply\b|\bshould be able\b", prose) == []


@pytest.mark.parametrize("fixture", ["graph_breaks", "dynamo_reset", "compiled_autograd", "train_step", "failures"])
def test_statements_about_compiles(built, fixture):
    own = {"key", "id", "attempt", "graph_break_count", "event_count", "first_event_index", "size_bytes", "artifact_count"}
    sentence = re.search(r"^- These fields belong to the row: (.+?)\.", TEXT, re.MULTILINE)[1]
    assert set(re.findall(r"`(\w+)`", sentence)) == own
    for log in built(traces.ROOT / "fixtures" / fixture / "trace").logs:
        frame_compiles = {}
        for compile in log.compiles:
            parts = ("compiled_autograd_id", "frame_id", "frame_compile_id", "occurrence")
            frame_compiles.setdefault(tuple(compile.row[part] for part in parts), []).append(compile)
        for attempts in frame_compiles.values():
            assert all({**attempt.row, **{key: attempts[0].row[key] for key in own}} == attempts[0].row for attempt in attempts)
            metrics = attempts[0].row["metrics_event_index"]
            if metrics is not None:
                (event,) = (event for event in log.events() if event.index == metrics)
                assert event.compile.row["attempt"] == max(attempt.row["attempt"] for attempt in attempts)
                assert "compilation_metrics" in event.metadata
        for event in log.events(type="dynamo_start"):
            assert log.stack(event.metadata["dynamo_start"]["stack_index"])[-1]["loc"] is None
        table = log.table("artifacts")
        assert [value is None for value in table["hash"]] == [index < 0 for index in table["blob_index"]]


# Recipes: their answers against what is known of the fixtures, or read from the log in another way


def test_recipes_are_short_and_the_four_questions_have_one_for_viewers():
    python, js = ({name for language, name in RECIPES if language == wanted} for wanted in ("python", "js"))
    assert js >= {"prelude", "statuses", "stack_tree", "output_code", "rank_groups"} and python >= {"prelude", "statuses", "restore"}
    assert len(python | js) == 8
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


def _events(fixture, frame_id):
    return [[i, line] for i, (fields, _, line) in enumerate(_records(_log(fixture))) if fields.get("frame_id") == frame_id]


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


def _check_events(found):
    assert [[index, line] for index, _, _, line in found] == _events("nonascii", 1)
    assert next(kind for _, kind, _, _ in found if kind != "chromium_event") == "dynamo_start"


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
    "events_of": ("events_of", "nonascii", ["fixture0", "1/0"], _check_events),
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


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def plain_server():
    """plain_server(folder): URL of a server that knows nothing of codecs."""
    servers = []

    def start(folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


TAIL = """
const found = await NAME(await Bundle.open(process.argv[2]), ...JSON.parse(process.argv[3]));
const { createHash } = await import("node:crypto");
console.log(JSON.stringify(found instanceof Uint8Array ? createHash("sha256").update(found).digest("hex") : found));
"""


def _run_js(name, folder, url, arguments):
    program = folder / f"{name}.mjs"
    program.write_text(RECIPES["js", "prelude"] + RECIPES["js", name] + TAIL.replace("NAME", name), encoding="utf-8")
    done = subprocess.run(["node", program, url, json.dumps(arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="JavaScript recipes need node")


@needs_node
@pytest.mark.parametrize("case", cases("js"))
def test_js_recipe(stored, plain_server, tmp_path, case):
    name, fixture, arguments, check = CASES[case]
    check(_run_js(name, tmp_path, plain_server(stored(fixture, "gzip")), arguments))


@needs_node
def test_js_prelude_reads_zstd(stored, plain_server, tmp_path):
    decoder = traces.ROOT / "viewers" / "lib" / "vendor" / "fzstd.js"
    if not decoder.is_file():
        pytest.skip(f"{decoder} is not there; the package build puts it in place")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(decoder, tmp_path / "fzstd.js")
    _check_output_code(_run_js("output_code", tmp_path, plain_server(stored("train_step", "zstd")), ["fixture0", "0/0"]))


# Commands and paths, in all documents


def _commands(text):
    """Every use of the command line in code: ['serve', 'out/', '--port']."""
    fenced = re.findall(r"^```(?:\w*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for line in (line for code in (*fenced, *inline) for line in code.replace("\\\n", " ").splitlines()):
        line = re.sub(r"tlparse-bundle\[\w+\]", "", line)  # an extra of the package
        line = re.sub(r"\\\||[\[\]]", " ", line)  # choices in a table: [format\|schema NAME]
        use = re.search(r"(?:^|[\s$;&|])tlparse-bundle((?: +[^\s|>#;&]+)+)", line)
        if use and not line.lstrip().startswith(("pip ", "pipx ", "uv ", "{", '"')):
            yield shlex.split(use[1])


@pytest.mark.parametrize("name", ["docs/json-format.md", *GUIDES])
def test_commands_exist(name):
    with click.Context(cli) as ctx:
        commands = {command: cli.get_command(ctx, command) for command in cli.list_commands(ctx)}
    used = list(_commands((traces.ROOT / name).read_text(encoding="utf-8")))
    for words in used:
        first = words[0]
        if first not in commands:
            assert first.startswith("-") or re.search(r"[/.*A-Z]", first) or len(words) > 1 and "/" in words[-1], f"no command {first!r}"
        command = commands.get(first, commands["build"])
        options = {"--help", "-h", "--version"} | {option for parameter in command.params for option in parameter.opts}
        for word in words:
            if word.startswith("-") and word != "--":
                assert word.split("=")[0] in options, f"{first} has no option {word}"
    assert name != "docs/json-format.md" or len(used) > 5


@pytest.mark.parametrize("name", ["docs/json-format.md", *GUIDES])
def test_paths_exist(name):
    path = traces.ROOT / name
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text):
        assert (path.parent / target).exists(), target
    top = {entry.name for entry in traces.ROOT.iterdir() if entry.is_dir() and not entry.name.startswith(".")}
    for word in re.findall(r"`([\w./*-]+)`", text):
        if "/" in word and word.split("/")[0] in top:
            assert list(traces.ROOT.glob(word.rstrip("/"))), word


def test_the_index_of_fixtures_has_each_with_its_logs():
    text = (traces.ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")
    rows = {name: int(logs) for name, logs in re.findall(r"^\| \[(\w+)\]\(\1/README\.md\) \|.*\| (\d+) \| [\d.,]+ kB \|$", text, re.MULTILINE)}
    folders = {path.parent.name: len(list((path.parent / "trace").rglob("*.log*"))) for path in (traces.ROOT / "fixtures").glob("*/truth.json")}
    assert rows == folders
    for heading in ("## Add one", "## Licence", "## Regenerate"):
        assert heading in text
