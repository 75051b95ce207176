"""A bundle to share: it holds nothing of the program, and what stays is true."""

import ast
import functools
import os
import re
from collections import Counter

import pytest
import traces
from tlparse_bundle import Bundle
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.restore import restore
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.legacy.report import write_legacy
from tlparse_bundle.redact import sentences
from tlparse_bundle.redact.policy import PARTS, PRESETS, keepable, policy
from tlparse_bundle.redact.redact import redact
from tlparse_bundle.statements.runs.compare.document import compare

FIXTURES = traces.ROOT / "fixtures"
KEY = bytes(range(32))
SOME = [
    *("graph_breaks", "failures", "nonascii", "recompiles", "vllm", "export_dtrace", "caches"),
    *("ranks_extra_break", "ranks_missing_collective", "killed"),
]
ALL = os.environ.get("TLPARSE_BUNDLE_ALL_LOGS")


def logs_of(name):
    folder = FIXTURES / name / "trace"
    return folder if folder.exists() else FIXTURES / name


FOLDERS = traces.EVERY_FOLDER if ALL else [logs_of(name) for name in SOME]


def texts(bundle):
    """Return everything readable in a bundle, except the schemas, which the package has."""
    paths = sorted(
        path.relative_to(bundle.location).as_posix()
        for path in bundle.folder.rglob("*")
        if path.is_file() and not path.name.startswith("schemas.json")
    )
    return "\n".join([*paths, *(bundle.read(path).decode("utf-8", "replace") for path in paths)])


def kinds(bundle):
    return [Counter(row["kind"] for row in log.findings()) for log in bundle.logs], bundle.job and Counter(
        row["kind"] for row in bundle.rank_table("rank_findings")
    )


def redacted(source, out, preset="share-with-public", **options):
    redact(source, out, policy(preset, **options), key=KEY)
    bundle = Bundle.open(out)
    bundle.folder = out
    return bundle


@pytest.fixture(scope="session")
def shared(built, once):
    """Return shared(fixture or folder of logs, preset): the redacted bundle, for tests to read."""

    @functools.cache
    def make(name, preset="share-with-vendor"):
        folder = logs_of(name) if isinstance(name, str) else name
        out = once(("redacted", folder, preset), lambda new: redacted(built(folder), new / "bundle", preset))
        bundle = Bundle.open(out / "bundle")
        bundle.folder = out / "bundle"
        return bundle

    return make


def nameless(summary):
    """Return a summary without text and names."""
    functions = [{**row, "function": "", "file": row["file"] and ""} for row in summary["functions"]]
    return {**summary, "text": "", "functions": functions}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(traces.ROOT.parent)))
def test_any_bundle_is_redacted_and_its_findings_stay(built, shared, folder, preset):
    source = built(folder)
    bundle = shared(folder, preset)
    assert validate(bundle) == []
    assert kinds(bundle) == kinds(source)
    numbers = [
        (log.rank, log.row["event_count"], log.row["diagnostics"], nameless(log.summary))
        for log in bundle.logs
    ]
    assert numbers == [
        (log.rank, log.row["event_count"], log.row["diagnostics"], nameless(log.summary))
        for log in source.logs
    ]
    places = [
        [(row["line"], row["severity"], row["count"], row["cost_us"]) for row in log.findings()]
        for log in source.logs
    ]
    new_places = [
        [(row["line"], row["severity"], row["count"], row["cost_us"]) for row in log.findings()]
        for log in bundle.logs
    ]
    assert places == new_places


def words_of_program(name):
    """Return names of functions and classes, and texts, of a fixture's program: a second opinion."""
    path = FIXTURES / name / "program.py"
    tree = ast.parse((path if path.exists() else FIXTURES / "ranks4" / "program.py").read_text("utf-8"))
    found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return {word for word in found if len(word) > 7 and word != "artifact"}  # torch's own word, too


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", SOME)
def test_nothing_of_the_program_is_left(shared, built, name, preset):
    whole, source = texts(shared(name, preset)), built(logs_of(name))
    assert "/home/user" not in whole and "user/project" not in whole and "/program.py" not in whole
    said = set(re.findall(r"\w+", whole))
    known = {row["name"] for log in source.logs for row in log.table("span_totals")}  # torch's spans
    assert words_of_program(name) & said - known == set()
    for log in source.logs:
        assert log.source not in whole and log.row["source"]["sha256"] not in whole
        assert not [path for path in log.blobs if path.partition(".")[0][-62:] in whole]


def test_names_are_the_same_everywhere(shared):
    """In all ranks, tables, stacks and findings."""
    bundle = shared("ranks_extra_break")
    functions = [[row["function"] for row in log.table("compiles") if row["function"]] for log in bundle.logs]
    assert set(functions[0]) <= set(functions[1]) and functions[0] == functions[2] == functions[3]
    tag = "fn_[a-z2-7]{8}"
    assert all(re.fullmatch(rf"(torch_dynamo_resume_in_)?{tag}(_at_\d+)?", name) for name in functions[1])
    graph_break = next(row for row in bundle.rank_table("rank_findings") if row["kind"] == "graph-break")
    assert re.search(rf"`{tag}` .* at `(dir_\w+/)*file_[a-z2-7]{{8}}\.py:44`", graph_break["title"])
    assert re.search(rf"`({tag})`", graph_break["title"])[1] in {
        frame["function"] for log in bundle.logs for row in log.compiles for frame in row.stack
    }


def test_torchs_own_names_stay(shared):
    log = shared("graph_breaks").logs[0]
    assert "Data-dependent branching" in {row["reason"] for row in log.table("graph_breaks")}
    export = shared("export_dtrace").logs[0].table("stacks")
    assert ("/site-packages/torch/export/_trace.py", "_export") in {
        (row["file"], row["function"]) for row in export
    }
    assert {"dynamo", "backend_compile"} <= {row["name"] for row in log.table("span_totals")}
    assert {"TENSOR_MATCH"} <= {row["kind"] for row in log.table("guards")}
    ops = {name for row in log.table("graphs") for name in row["ops"]}
    assert any(name.startswith(("torch.", "operator.")) for name in ops)


def test_sentences_are_made_of_what_is_left(shared, built):
    """No sentence of the original that has a name or a value of the program."""
    for name in SOME:
        source = built(logs_of(name))
        new = {row["title"] for log in shared(name).logs for row in log.findings()}
        for log in source.logs:
            for row in log.findings():
                assert not (
                    row["function"]
                    and len(row["function"]) > 7
                    and any(row["function"] in title for title in new)
                )
    title = next(
        row["title"] for row in shared("recompiles").logs[0].findings() if row["kind"] == "recompile"
    )
    assert re.fullmatch(r"`fn_[a-z2-7]{8}` recompiled \w+( times)?: .*", title)


def test_a_finding_that_cannot_be_made_again_has_the_title_of_its_kind(built, tmp_path, monkeypatch):
    monkeypatch.setattr(sentences, "MODULES", ())
    source = built(FIXTURES / "recompiles" / "trace")
    bundle = redacted(source, tmp_path / "out")
    assert kinds(bundle) == kinds(source)
    row = next(row for row in bundle.logs[0].findings() if row["kind"] == "recompile")
    assert re.fullmatch(r"Recompile in `fn_[a-z2-7]{8}`|Recompiles? .*in `fn_[a-z2-7]{8}`", row["title"])
    assert (row["text"], row["remedies"], row["cost_of"]) == ("", [], None)


def test_parts_about_the_model_are_in_one_preset_only(shared):
    public, vendor = (shared("export_dtrace", preset).logs[0].directory for preset in PRESETS)
    assert {"graphs", "symbols", "tensors", "expressions"} <= set(vendor["tables"])
    assert not {"graphs", "symbols", "tensors", "expressions", "metadata"} & set(public["tables"])
    assert {"graphs", "guards", "symbols", "tensors", "metadata"} <= set(public["left_out"])
    assert vendor["left_out"] == ["metadata"] and "metadata" not in vendor["tables"]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_manifest_says_what_was_done(shared, preset):
    manifest = shared("graph_breaks", preset).manifest
    gone = ["payloads", "source", "text", "metadata", "verbatim"]
    assert manifest["redacted"]["preset"] == preset and manifest["redacted"]["kept"] == []
    assert manifest["redacted"]["dropped"][:5] == gone
    assert (manifest["redacted"]["dropped"] == gone) == (preset == "share-with-vendor")
    assert KEY.hex() not in str(manifest)


def test_removed_parts_are_reported(shared, tmp_path):
    bundle = shared("graph_breaks")
    artifact = next(artifact for artifact in bundle.logs[0].artifacts if artifact.size_bytes)
    with pytest.raises(BundleError, match="this payload was redacted"):
        artifact.bytes()
    for path in bundle.logs[0].blobs:
        with pytest.raises(BundleError, match="this payload was redacted"):
            bundle.logs[0].blob(path)
    with pytest.raises(BundleError, match="is redacted, so it does not contain the logs"):
        restore(bundle, tmp_path / "logs")
    with pytest.raises(BundleError, match="is redacted, so it does not contain the logs"):
        write_legacy(bundle, tmp_path / "report")
    with pytest.raises(BundleError, match="is already redacted"):
        redact(bundle, tmp_path / "again", policy())


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_dropped_is_gone(built, tmp_path, part):
    source = built(FIXTURES / "ranks_missing_collective" / "trace")
    bundle = redacted(source, tmp_path / "out", "share-with-vendor", drop=[part])
    assert validate(bundle) == [] and part in bundle.manifest["redacted"]["dropped"]
    before, after = source.logs[0].directory["tables"], bundle.logs[0].directory["tables"]
    assert set(before) - set(after) - {"metadata"} == set(PARTS[part]) & set(before)
    for name in set(PARTS[part]) & set(before):
        with pytest.raises(BundleError, match="the bundle is redacted"):
            bundle.logs[0].table(name)
    ranks = set(source.manifest["rank_tables"])
    gone = ranks if part == "ranks" else set(PARTS[part]) & ranks
    assert ranks - set(bundle.manifest.get("rank_tables", ())) == gone
    assert (bundle.job is None) == (part in ("ranks", "findings"))


@pytest.mark.parametrize(
    ("keep", "field"),
    [
        ("graph_breaks.hints", "hints"),
        ("graph_breaks.user_traceback", "user_traceback"),
        ("source", "source_line"),
    ],
)
def test_a_kept_field_stays_and_others_do_not(built, tmp_path, keep, field):
    source = built(FIXTURES / "graph_breaks" / "trace")
    bundle = redacted(source, tmp_path / "out", keep=[keep])
    old, new = source.logs[0].table("graph_breaks"), bundle.logs[0].table("graph_breaks")
    assert [row[field] for row in old] == [row[field] for row in new] and any(row[field] for row in new)
    assert [row["explanation"] for row in old] != [row["explanation"] for row in new]
    assert bundle.manifest["redacted"]["preset"] is None and bundle.manifest["redacted"]["kept"]


def test_kept_payloads_and_metadata_are_complete(built, tmp_path):
    source = built(FIXTURES / "graph_breaks" / "trace")
    bundle = redacted(source, tmp_path / "out", keep=["payloads", "metadata"])
    assert validate(bundle) == []
    assert [artifact.bytes() for artifact in bundle.logs[0].artifacts] == [
        artifact.bytes() for artifact in source.logs[0].artifacts
    ]
    assert bundle.logs[0].metadata(0) == source.logs[0].metadata(0)


def test_choices_that_make_no_sense_are_refused():
    for wrong in (
        {"drop": ["everything"]},
        {"keep": ["guards"], "drop": ["guards"]},
        {"preset": "mine"},
        {"keep": ["verbatim"]},
        {"keep": ["text"]},
        {"keep": ["compiles.function"]},
        {"keep": ["findings.title"]},
        {"keep": ["no.field"]},
    ):
        with pytest.raises(BundleError):
            policy(**wrong)
    assert policy("share-with-public", keep=["payloads"]).preset is None
    assert policy("share-with-vendor").kept == frozenset()
    assert not {path for path in keepable() if path.rpartition(".")[2] in ("title", "function", "file")}


@pytest.mark.parametrize("preset", PRESETS)
def test_runs_redacted_one_by_one_with_one_key_can_be_compared(built, tmp_path, preset):
    """A change stays one change under other names. Without payloads, no graph is reported as different."""
    for pair in ("new_break", "config_changed"):
        sides = [built(FIXTURES / "pairs" / pair / side) for side in ("base", "new")]
        new = [redacted(side, tmp_path / f"{pair}{number}", preset) for number, side in enumerate(sides)]
        before, after = (
            {row["kind"] for row in compare([("base", base)], [("new", other)])["logs"][0]["changes"]}
            for base, other in (sides, new)
        )
        assert after == before - {"graph"}


def test_other_keys_give_other_names(built, tmp_path):
    source = built(FIXTURES / "graph_breaks" / "trace")
    bundles = []
    for number in range(2):
        redact(source, tmp_path / str(number), policy())
        bundles.append(Bundle.open(tmp_path / str(number)))
    functions = [{row["function"] for row in bundle.logs[0].table("compiles")} for bundle in bundles]
    assert len(functions[0]) == len(functions[1]) and not functions[0] & functions[1] - {None}
    assert bundles[0].logs[0].id != bundles[1].logs[0].id


def test_a_redacted_bundle_beside_the_one_that_it_was_made_of(built, tmp_path):
    """Under other names everything differs, but there is no error."""
    source = built(FIXTURES / "graph_breaks" / "trace")
    new = redacted(source, tmp_path / "out")
    for base, other in ((source, new), (new, source), (new, new)):
        document = compare([("base", base)], [("new", other)])
        assert (document["logs"][0]["changes"] == []) == (base is other)
