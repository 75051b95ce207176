"""A bundle to share: it holds nothing of the program, and all its facts stay true."""

import ast
import re
from collections import Counter

import pytest
import traces
from tlparse_bundle import Bundle
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.restore import restore
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.legacy.report import write_legacy
from tlparse_bundle.redact.policy import PRESETS, policy
from tlparse_bundle.redact.pseudonyms import always, is_plain, usual, written_by_us
from tlparse_bundle.redact.redact import Words, redact
from tlparse_bundle.statements.runs.compare.document import compare

FIXTURES = traces.ROOT / "fixtures"
TORCH_WRITES_TOO = {
    "def forward(self, x):",
    "torch._dynamo.config.caching_precompile = True",
    "torch._inductor.config.aten_distributed_optimizations.enable_overlap_scheduling = True",
}  # in graphs, and in its configuration
SOME = ("graph_breaks", "failures", "nonascii")  # with both presets
CASES = [
    (name, preset)
    for name in traces.FIXTURES
    for preset in PRESETS
    if (preset == "share-with-vendor" or name in SOME) and (name == "ranks4" or not name.startswith("ranks"))
]


def texts(bundle):
    """Return everything readable in a bundle, words and payloads, except the schemas."""
    folder = bundle.folder
    paths = [
        path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("schemas.json")
    ]
    data = [bundle.read(path.relative_to(folder).as_posix()) for path in paths]
    return "\n".join(
        part.decode("utf-8", "replace").replace('\\"', '"').replace("\\\\", "\\") for part in data
    )


def kinds(bundle):
    return [Counter(row["kind"] for row in log.findings()) for log in bundle.logs], bundle.job and Counter(
        row["kind"] for row in bundle.rank_table("rank_findings")
    )


def program(name):
    """Return (names of functions and classes, lines of more than three words) of a fixture's program: a
    second opinion.
    """
    path = FIXTURES / name / "program.py"
    text = (path if path.exists() else FIXTURES / "ranks4" / "program.py").read_text("utf-8")
    names = {
        node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    lines = {
        line.strip() for line in text.split("\n") if not line.strip().startswith(("#", '"', "import", "from"))
    }
    return names, {line for line in lines if len(re.findall(r"\w*[^\W\d]\w*", line)) > 3} - TORCH_WRITES_TOO


def redacted(source, out, preset):
    made = redact(source, out, policy(preset))
    bundle = Bundle.open(out)
    bundle.folder = out
    return bundle, made


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_nothing_of_the_program_is_left_and_all_facts_stay(built, tmp_path, name, preset):
    source = built(FIXTURES / name / "trace")
    bundle, made = redacted(source, tmp_path / "out", preset)
    assert validate(bundle) == []
    assert kinds(bundle) == kinds(source) and made.changed == {}
    assert [
        (log.rank, log.row["event_count"], log.summary["compile_us"], log.row["diagnostics"])
        for log in bundle.logs
    ] == [
        (log.rank, log.row["event_count"], log.summary["compile_us"], log.row["diagnostics"])
        for log in source.logs
    ]
    whole = texts(bundle)
    assert "/home/user" not in whole and "user/project" not in whole
    names, lines = program(name)
    assert {line for line in lines if line in whole} == set()
    tokens = set(re.findall(r"\w+", whole))
    assert {
        word
        for word in names & tokens
        if not is_plain(word) and word not in written_by_us() and word not in usual()
    } == set()
    for log in source.logs:
        assert log.source not in whole and log.row["source"]["sha256"] not in whole


def test_names_are_the_same_everywhere(built, tmp_path):
    """In all ranks, tables, stacks, findings and payloads."""
    bundle, _ = redacted(
        built(FIXTURES / "ranks_extra_break" / "trace"), tmp_path / "out", "share-with-vendor"
    )
    functions = [[row["function"] for row in log.table("compiles") if row["function"]] for log in bundle.logs]
    assert set(functions[0]) <= set(functions[1]) and functions[0] == functions[2] == functions[3]
    assert all(re.fullmatch(r"(torch_dynamo_resume_in_)?fn_\d+(_at_\d+)?", name) for name in functions[1])
    graph_break = next(row for row in bundle.rank_table("rank_findings") if row["kind"] == "graph-break")
    assert re.search(r"`(fn_\d+)` .* at `file_\d+\.py:44`", graph_break["title"])
    name = re.search(r"`(fn_\d+)`", graph_break["title"])[1]
    graphs = [
        artifact.text()
        for log in bundle.logs
        for artifact in log.artifacts
        if artifact.name.startswith("dynamo_output_graph")
    ]
    assert any(f" in {name}, code: source_" in graph for graph in graphs)


def test_torch_keeps_its_words(built, tmp_path):
    bundle, _ = redacted(built(FIXTURES / "graph_breaks" / "trace"), tmp_path / "out", "share-with-public")
    said = [f"{row['title']} {row['text']}" for row in bundle.logs[0].findings()]
    assert any("Detected data-dependent branching" in text for text in said)
    frames = {
        (frame["file"], frame["function"]) for compile in bundle.logs[0].compiles for frame in compile.stack
    }
    assert any(file and re.fullmatch(r"/file_\d+\.py", file) for file, _ in frames)
    assert bundle.manifest["redacted"] == {
        "preset": "share-with-public",
        "dropped": ["payloads", "source", "strings", "verbatim", "names"],
    }


def test_removed_parts_are_reported(built, tmp_path):
    bundle, _ = redacted(built(FIXTURES / "graph_breaks" / "trace"), tmp_path / "out", "share-with-public")
    artifact = next(artifact for artifact in bundle.logs[0].artifacts if artifact.size_bytes)
    with pytest.raises(BundleError, match="this payload was redacted"):
        artifact.bytes()
    with pytest.raises(BundleError, match="is redacted, so it does not contain the logs"):
        restore(bundle, tmp_path / "logs")
    with pytest.raises(BundleError, match="is redacted, so it does not contain the logs"):
        write_legacy(bundle, tmp_path / "report")
    with pytest.raises(BundleError, match="is already redacted"):
        redact(bundle, tmp_path / "again", policy())
    it = bundle.logs[0]
    timeline = [path for path, row in it.blobs.items() if row["kind"] == "timeline"]
    assert timeline and it.blob(timeline[0]).startswith(b"[")


def test_nothing_is_written_when_a_word_remains(built, tmp_path, monkeypatch):
    """With a rewriter that forgets a word."""
    monkeypatch.setattr(
        "tlparse_bundle.redact.pseudonyms.Names.stays",
        lambda names, word: word == "prints_once" or word in always() or word in usual(),
    )
    with pytest.raises(BundleError, match="still in the result") as error:
        redact(built(FIXTURES / "graph_breaks" / "trace"), tmp_path / "out", policy("share-with-vendor"))
    assert "prints_once" in error.value.message and error.value.exit_code == 1
    assert not (tmp_path / "out").exists()


def test_a_choice_of_its_own(built, tmp_path):
    """Names stay; payloads, guards and metadata go."""
    source = built(FIXTURES / "graph_breaks" / "trace")
    redact(source, tmp_path / "out", policy(drop=["payloads", "guards", "metadata"]))
    bundle = Bundle.open(tmp_path / "out")
    assert validate(bundle) == [] and kinds(bundle) == kinds(source)
    assert bundle.manifest["redacted"] == {
        "preset": None,
        "dropped": ["payloads", "guards", "metadata", "verbatim"],
    }
    assert [row["function"] for row in bundle.logs[0].table("compiles")] == [
        row["function"] for row in source.logs[0].table("compiles")
    ]
    assert "guards" not in bundle.logs[0].directory["tables"]
    assert bundle.logs[0].compiles[0].metrics == source.logs[0].compiles[0].metrics


def test_unknown_classes_are_refused():
    for wrong in ({"drop": ["everything"]}, {"keep": ["names"], "drop": ["names"]}, {"preset": "mine"}):
        with pytest.raises(BundleError):
            policy(**wrong)
    assert policy("share-with-public", keep=["names"]).preset is None
    assert (
        policy("share-with-public", keep=["payloads"]).preset == "share-with-vendor"
    )  # which is exactly that


def test_a_word_cut_by_a_diagnostic_is_not_from_the_program(built, tmp_path):
    """'wrapper', which torch uses and so stays, becomes 'wrap' in a cut message; the program has a function
    of that name.
    """
    quoted = "12 " * 25 + " wrapper"  # a message has the first 80 characters
    frame = (
        '{"dynamo_start": {"stack": [{"line": 3, "name": "wrap", "filename": 0, "loc": "return wrap"}]},'
        ' "frame_id": 0, "frame_compile_id": 0}'
    )
    place = tmp_path / "logs"
    place.mkdir()
    start = "V1121 07:20:59.479000 7140 torch/_dynamo/convert_frame.py:28] "
    (place / "dedicated_log_torch_trace_x.log").write_text(
        f'{start}{{"str": ["/home/ann/shop/train.py", 0]}}\n{start}{frame}\n{quoted}\n', "utf-8"
    )
    bundle, _ = redacted(built(place), tmp_path / "out", "share-with-vendor")
    said = [row["message"] for row in bundle.logs[0].table("diagnostics") if row["code"] == "not-a-record"]
    assert said and said[0].endswith("wrap'")
    assert '"fn_1"' in texts(bundle)


@pytest.mark.parametrize("preset", PRESETS)
def test_runs_redacted_together_can_be_compared(built, tmp_path, preset):
    """A change of one line and one setting stays one change under other names; without payloads no graph is
    reported as different.
    """
    for pair in ("new_break",) if preset == "share-with-vendor" else ("config_changed",):
        sides = [built(FIXTURES / "pairs" / pair / side) for side in ("base", "new")]
        words = Words(sides, policy(preset))
        new = []
        for number, side in enumerate(sides):
            redact(side, tmp_path / f"{pair}{number}", policy(preset), words=words)
            new.append(Bundle.open(tmp_path / f"{pair}{number}"))
        before, after = (
            sorted(
                (row["change"], row["kind"])
                for row in compare([("base", base)], [("new", other)])["logs"][0]["changes"]
            )
            for base, other in (sides, new)
        )
        assert after == [row for row in before if row[1] != "graph" or preset == "share-with-vendor"]


def test_a_redacted_bundle_beside_the_one_that_it_was_made_of(built, tmp_path):
    """Under other names everything differs, but there is no error."""
    source = built(FIXTURES / "graph_breaks" / "trace")
    redact(source, tmp_path / "out", policy())
    for pair in (
        (source, Bundle.open(tmp_path / "out")),
        (Bundle.open(tmp_path / "out"), source),
        (Bundle.open(tmp_path / "out"), Bundle.open(tmp_path / "out")),
    ):
        document = compare([("base", pair[0])], [("new", pair[1])])
        assert (document["logs"][0]["changes"] == []) == (pair[0].location == pair[1].location)
