"""Every fixture agrees with the facts known of its program, and no log loses a byte."""

import json

import pytest
import traces
from tlparse_bundle.bundle.row_objects import id_of
from tlparse_bundle.bundle.validate import validate

# A compile's status in the truth, as the status in the bundle.
STATUSES = {"break": "ok", "error": "failed", "missing": "unfinished"}
TRUTHS = [
    pytest.param(
        name, path, truth, id=f"{name}-{path.removeprefix('dedicated_log_torch_trace_').removesuffix('.log')}"
    )
    for name in traces.FIXTURES
    for path, truth in json.loads((traces.ROOT / "fixtures" / name / "truth.json").read_text())[
        "logs"
    ].items()
]


@pytest.fixture
def true_log(built, root, request):
    """The log of a bundle of the whole scenario, and the known facts about it."""
    name, path, truth = request.param
    bundle = built(root / "fixtures" / name / "trace")
    (log,) = (log for log in bundle.logs if log.source == path.split("/")[-1])
    return log, truth


with_truth = pytest.mark.parametrize(
    "true_log", [pytest.param(param.values, id=param.id) for param in TRUTHS], indirect=True
)


@with_truth
def test_rank(true_log):
    log, truth = true_log
    assert log.rank == truth["rank"]


@with_truth
def test_compiles(true_log):
    log, truth = true_log
    known = truth["compiles"]
    if truth["complete"]:
        assert {id_of(row) for row in log.table("attempts")} == set(known)
    rows = {row["compile"]: row for row in (*log.table("limits"), *log.table("compiles"))}
    refused = {row["compile"] for row in log.table("limits")}
    for compile_id, expected in known.items():
        attempts = [row for row in log.table("attempts") if id_of(row) == compile_id]
        assert len(attempts) == expected["occurrences"], compile_id
        keys = {row["compile"] for row in attempts}
        if "function" in expected:
            assert {rows[key]["function"] for key in keys} == {expected["function"]}
        if "status" in expected:
            assert {rows[key].get("status", "failed") for key in keys} == {
                STATUSES.get(expected["status"], expected["status"])
            }, compile_id
            assert expected["status"] == "error" or not keys & refused
        if expected.get("status") == "break":
            assert all(rows[key]["graph_break_count"] or rows[key]["restart_reasons"] for key in keys)


@with_truth
def test_named_artifacts(true_log):
    log, truth = true_log
    for compile_id, names in truth.get("artifacts", {}).items():
        artifacts = [a for a in log.artifacts if a.compile and id_of(a.row) == compile_id]
        present = {word for a in artifacts for word in (a.name, a.type)}
        assert set(names) <= present, compile_id


@with_truth
def test_counts_of_events(true_log):
    log, truth = true_log
    facts = truth.get("facts", {})
    events = {
        "graph_breaks": "dynamo_graph_break_reason",
        "recompiles": "recompile_reasons",
        "dynamo_starts": "dynamo_start",
    }
    for fact, expected in facts.items():
        name = events.get(fact, fact)
        count = sum(
            kind["event_count"] for kind in log.directory["kinds"] if name in (kind["type"], kind["name"])
        )
        if fact in events or (isinstance(expected, int) and count):
            assert count == expected, fact


@with_truth
def test_figures_of_compiles(true_log):
    log, truth = true_log
    facts = truth.get("facts", {})
    rows = {row["compile"]: row for row in (*log.table("limits"), *log.table("compiles"))}
    for fact in ("graph_op_count", "graph_input_count"):
        for compile_id, expected in facts.get(fact, {}).items():
            assert rows[compile_id][fact] == expected
    for compile_id, expected in facts.get("fail_type", {}).items():
        assert rows[compile_id]["failure_type"] == expected
    for compile_id, expected in facts.get("guard_failures", {}).items():
        (reasons,) = (a.text() for a in log.artifacts_by_compile[compile_id] if a.name == "recompile_reasons")
        assert all(reason in reasons for reason in expected)
        assert any(reason in rows[compile_id]["recompile_reason"] for reason in expected)


@pytest.mark.parametrize(
    "name, path, truth",
    [param for param in TRUTHS if "has_undefined_string_ids" in param.values[2].get("facts", {})],
)
def test_undefined_strings_are_reported(name, path, truth, built, root):
    """In a log alone. Another log of the process may define them: tests/pipeline/test_process_strings.py."""
    (log,) = built(root / "fixtures" / name / "trace" / path).logs
    assert ("string-undefined" in log.row["diagnostics"]) == truth["facts"]["has_undefined_string_ids"]


def test_occurrences_after_a_reset_are_distinguished(built, root):
    truth = json.loads((root / "fixtures/dynamo_reset/truth.json").read_text())
    ((_, known),) = truth["logs"].items()
    (log,) = built(root / "fixtures/dynamo_reset/trace").logs
    for compile_id, occurrences in known["facts"]["by_occurrence"].items():
        for number, expected in enumerate(occurrences, 1):
            compile = log.compile(compile_id if number == 1 else f"{compile_id}@{number}")
            assert (compile.row["function"], compile.status) == (
                expected["function"],
                STATUSES.get(expected["status"], expected["status"]),
            )
            assert (compile.row["graph_op_count"] or 0) == expected["graph_op_count"]
            graphs = [
                a.text()
                for a in log.artifacts
                if a.compile and id_of(a.row) == compile_id and a.name == "dynamo_output_graph"
            ]
            for call in expected.get("graph_calls", []):
                own = next(a.text() for a in compile.artifacts if a.name == "dynamo_output_graph")
                assert f".{call}(" in own
                assert sum(f".{call}(" in text for text in graphs) == 1


def test_edge_cases_of_payloads(built, root):
    ((_, truth),) = json.loads((root / "fixtures/nonascii/truth.json").read_text())["logs"].items()
    (log,) = built(root / "fixtures/nonascii/trace").logs
    without_id = log.artifacts_by_compile[None]
    expected = truth["facts"]["artifacts_without_compile"]
    assert [a.name for a in without_id if a.name in expected] == expected
    for name, text in truth["facts"]["payload"].items():
        (artifact,) = (a for a in without_id if a.name == name)
        assert artifact.bytes() == (None if text is None else text.encode())


@pytest.mark.parametrize("name", traces.FIXTURES)
def test_bundle_is_sound(name, built, root):
    assert validate(built(root / "fixtures" / name / "trace")) == []


@pytest.mark.parametrize("path", traces.params(traces.PUBLIC_LOGS, traces.PUBLIC))
def test_bundle_of_a_public_trace_is_sound(path, built):
    assert validate(built(path)) == []


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_every_record_is_an_event_and_every_payload_is_kept(path, built):
    data = path.read_bytes()
    (log,) = built(path).logs
    events = list(log.events())
    assert len(events) == len(traces.scan(data)) == log.row["event_count"]
    for number, payload in traces.right_payloads(data).items():
        assert events[number].bytes() == payload


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_every_key_of_a_record_is_kept(path, built):
    (log,) = built(path).logs
    columns = {"frame_id", "frame_compile_id", "compiled_autograd_id", "attempt", "rank", "has_payload"}
    for event, (envelope, _) in zip(log.events(), traces.scan(path.read_bytes()), strict=True):
        written, stored = json.loads(envelope), event.metadata
        assert written.keys() - columns == {key.replace("stack_index", "stack") for key in stored} - columns
        inner = written[event.type]
        if isinstance(inner, dict):
            assert inner.keys() == {key.replace("stack_index", "stack") for key in stored[event.type]}


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_every_stack_is_kept(path, built):
    (log,) = built(path).logs
    strings = {}
    for event, (envelope, _) in zip(log.events(), traces.scan(path.read_bytes()), strict=True):
        written = json.loads(envelope)
        if event.type == "str":
            strings[written["str"][1]] = written["str"][0]
        for fields, stored in ((written, event.metadata), (written[event.type], event.metadata[event.type])):
            for key in ("stack", "user_stack"):
                if isinstance(fields, dict) and fields.get(key):
                    frames = log.stack(stored[f"{key}_index"])
                    assert [(f["line"], f["name"], f.get("loc")) for f in fields[key]] == [
                        (f["line"], f["function"], f["code"]) for f in frames
                    ]
                    assert [
                        f.get("uninterned_filename") or strings.get(f["filename"]) for f in fields[key]
                    ] == [f["file"] for f in frames]


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_a_log_is_restored_byte_for_byte(path, built):
    (log,) = built(path).logs
    assert traces.restore(log) == path.read_bytes()
