"""A record's envelope: type, name, metadata, context keys, and the writer of the log."""

import pytest
from log_builder import log, raw_record, record


def only(it):
    (event,) = it.events()
    return event


def test_the_columns_of_an_event(log_of):
    data = record(
        "artifact:a !1/2/3_4 @5", payload="text", time="1231 23:59:59.000001", pid=4711, place="torch/x.py:99"
    )
    it = log_of(data)
    event = only(it)
    assert (event.index, event.type, event.name, event.compile, event.attempt) == (
        0,
        "artifact",
        "a",
        "!1/2/3",
        4,
    )
    assert (
        event.row["record_rank"],
        event.row["line"],
        event.row["gap_bytes"],
        event.row["size_bytes"],
        event.row["time_us"],
    ) == (5, 1, 0, len(data), 0)
    assert (
        it.directory["pids"] == [4711]
        and event.row["origin"] == "torch/x.py:99"
        and [(row["level"], row["path"], row["line"]) for row in it.table("origins")]
        == [("V", "torch/x.py", 99)]
    )
    assert it.directory["clock"]["origin"] == "12-31 23:59:59.000001"


def test_metadata_is_what_torch_wrote_without_the_columns(log_of):
    event = only(log_of(record('e 0/0 @1 {"a": [1, {"b": "ü"}], "c": null}', payload="x", subgraph_name="s")))
    assert event.metadata == {"e": {"a": [1, {"b": "ü"}], "c": None}, "subgraph_name": "s"}


@pytest.mark.parametrize("value", ["[]", "5", "null", '"text"', "true", "[[1]]"])
def test_metadata_of_any_shape(value, log_of):
    event = only(log_of(raw_record('{"e": %s}' % value)))
    assert event.type == "e" and event.name is None and "e" in event.metadata


@pytest.mark.parametrize(
    "key",
    [
        "rank",
        "frame_id",
        "compiled_autograd_id",
        "severity",
        "timestamp",
        "pathname",
        "thread",
        "subgraph_name",
        "stack",
    ],
)
def test_context_keys_are_not_events(key, log_of):
    assert only(log_of(raw_record('{"%s": null, "real": {}}' % key))).type == "real"


def test_a_chromium_event_of_a_compile(log_of):
    event = only(log_of(log('chromium_event 0/0\n | {"name": "x", "ph": "B", "ts": 1}')))
    assert event.compile == "0/0" and event.text() == '{"name": "x", "ph": "B", "ts": 1}'


@pytest.mark.parametrize(
    "text,version",
    [
        ('artifact:torch_version\n | {"pytorch_version": "2.13.0"}', "2.13.0"),
        ('compilation_metrics 0/0 {"pytorch_version": "2.9"}', "2.9"),
        (
            (
                'compilation_metrics 0/0 {"pytorch_version": "2.9"}\n artifact:torch_version\n |'
                ' {"pytorch_version": "2.13.0"}'
            ),
            "2.13.0",
        ),
        ('graph_dump {"name": "torch_version"}\n | {"pytorch_version": "2.13.0"}', None),
        ("a", None),
    ],
)
def test_the_version_of_torch(text, version, log_of):
    assert log_of(log(text)).row["torch_version"] == version


def test_several_processes_in_a_log(log_of):
    it = log_of(record("a", pid=2) + record("b", pid=1) + record("c", pid=2))
    assert it.directory["pids"] == [2, 1] and [e.row["pid"] for e in it.events()] == [2, 1, 2]


@pytest.mark.parametrize(
    "event,name,language,phase",
    [
        ("dynamo_output_graph", None, "fx", "dynamo"),
        ("inductor_output_code", None, "python", "inductor"),
        ("artifact", "torch_dynamo_resume_in_f_at_3_ORIGINAL_BYTECODE", "bytecode", "dynamo"),
        ("artifact", "fx_graph_cache_miss", "json", "cache"),
        ("artifact", "never_heard_of", "text", "other"),
        ("never_heard_of", None, "text", "other"),
    ],
)
def test_kinds_have_language_and_phase(event, name, language, phase, log_of):
    it = log_of(log(f"{event}{':' + name if name else ''} 0/0\n | text"))
    (artifact,) = it.artifacts
    assert (artifact.language, artifact.phase) == (language, phase)


def test_an_unknown_json_artifact_is_shown_as_json(log_of):
    it = log_of(log('artifact:never_heard_of {"encoding": "json"}\n | {}'))
    assert it.artifacts[0].language == "json"
