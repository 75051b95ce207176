"""Values that no torch writes: they cost nothing, break nothing and never become a path. log_of checks that
each bundle is sound and restores the log.
"""

import json
import re

import pytest
from log_builder import log, raw_record, record, span

PATHS = re.compile(
    r"(manifest\.json|schemas\.json\.zst|logs/x/(log\.json|[a-z_]+(\.jsonl|/\d{4}\.(jsonl|log)))\.zst|blobs/[0-9a-f]{2}/[0-9a-f]{64}\.zst)"
)
NAMES = [
    "../../evil",
    "/etc/evil",
    "a/b",
    "..",
    "",
    "nul\0nul",
    "x" * 300,
    "</script><img src=x onerror=alert(1)>",
    "con",
    "a\nb",
    "é\u202e\u200b",
    "%2e%2e/",
    "C:\\x",
]


def paths_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# ---- names


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("event", ["artifact", "graph_dump", "dump_file", "optimize_ddp_split_child", "link"])
def test_a_name_from_a_log_never_becomes_a_path(event, name, log_of):
    value = {"name": name, "encoding": "string", "url": "javascript:alert(1)"}
    it = log_of(raw_record(json.dumps({event: value, "frame_id": 0, "frame_compile_id": 0}), payload="text"))
    (artifact,) = it.artifacts
    assert artifact.name == (f"{event}_{name}" if event.startswith("optimize") else name)
    assert artifact.text() == "text"
    assert all(PATHS.fullmatch(path) for path in paths_in(it.bundle.folder))


@pytest.mark.parametrize("event", NAMES, ids=range(len(NAMES)))
def test_an_event_type_never_becomes_a_path(event, log_of):
    it = log_of(raw_record(json.dumps({event: {}}), payload="text"))
    assert [(e.type, e.text()) for e in it.events()] == [(event, "text")]
    assert all(PATHS.fullmatch(path) for path in paths_in(it.bundle.folder))


@pytest.mark.parametrize(
    "name",
    [
        "...log",
        "-x.log",
        " .log",
        "é日本.log",
        "a b;c.log",
        b"\xff\xfe.log".decode("utf-8", "surrogateescape"),
        "x" * 250 + ".log",
    ],
)
def test_any_file_name_makes_a_safe_id(name, log_of):
    it = log_of(log("a"), name=name)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", it.id)
    assert it.source == name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@pytest.mark.parametrize(
    "place", ["C:\\torch\\a.py:12", "/with space/a.py:3", "a:b:c.py:4", "<frozen importlib>:5", "é.py:6"]
)
def test_the_place_of_a_record_may_be_anything(place, log_of):
    it = log_of(record("a", place=place))
    path, _, line = place.rpartition(":")
    assert [(row["level"], row["path"], row["line"]) for row in it.table("origins")] == [
        ("V", path, int(line))
    ]


# ---- JSON beyond JSON


def test_numbers_that_json_does_not_have_become_words(log_of, found):
    it = log_of(
        raw_record(
            '{"a": [NaN, Infinity, -Infinity, 1e400, -1e400, 9007199254740991, 9007199254740993,'
            " -9007199254740993, %s]}" % ("9" * 5000)
        )
    )
    (event,) = it.events()
    assert event.metadata["a"] == [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e400",
        "-1e400",
        9007199254740991,
        "9007199254740993",
        "-9007199254740993",
        "9" * 5000,
    ]
    assert found(it) == []


@pytest.mark.parametrize("depth", [50, 99])
def test_nesting_is_kept(depth, log_of, found):
    value = "[" * depth + "]" * depth
    it = log_of(raw_record('{"a": %s}' % value))
    assert json.dumps(next(it.events()).metadata["a"]) == value and found(it) == []


@pytest.mark.parametrize("depth", [101, 253, 254, 1000, 1023, 1024, 5000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", '{"k":}'])
def test_nesting_without_end_is_a_damaged_record(depth, brackets, log_of, found):
    text = '{"a": %s1%s}' % (brackets[:-1] * depth, brackets[-1] * depth)
    it = log_of(raw_record(text) + log("good"))
    assert [event.type for event in it.events()] == ["damaged_record", "good"]
    assert next(it.events()).metadata == {"damaged_record": {"text": text}}
    assert [row[:3] for row in found(it)] == [("json-syntax", 1, 0)]


@pytest.mark.parametrize(
    "key",
    [
        "has_payload",
        "rank",
        "frame_id",
        "stack",
        "str",
        "artifact",
        "compilation_metrics",
        "chromium_event",
        "dynamo_start",
    ],
)
@pytest.mark.parametrize(
    "value",
    [
        "1",
        "-1",
        "1e300",
        "true",
        "null",
        '"text"',
        "[]",
        "{}",
        "[[1]]",
        '{"name": 5}',
        "NaN",
        "[" * 90 + "]" * 90,
    ],
)
def test_any_value_of_any_key_is_survived(key, value, log_of):
    it = log_of(
        raw_record('{"x": {}, "%s": %s}' % (key, value))
        + raw_record('{"%s": %s, "frame_id": 0, "frame_compile_id": 0}' % (key, value), payload="p")
    )
    assert it.row["event_count"] == 2


def test_wide_metadata(log_of):
    it = log_of(raw_record(json.dumps({"a": {str(i): [i, {}] for i in range(30_000)}})))
    assert len(next(it.events()).metadata["a"]) == 30_000


# ---- metrics


@pytest.mark.parametrize("value", [-1, 2**53 - 1, 2**80, 1e308, -1e308, "x", [], {}, True, None])
def test_metrics_of_any_value(value, log_of):
    keys = (
        "co_name", "co_filename", "co_firstlineno", "start_time_us", "start_time", "dynamo_cumulative_compile_time_us", "entire_frame_compile_time_s",
        "graph_op_count", "guard_count", "restart_reasons", "fail_reason", "fail_user_frame_lineno", "fail_user_frame_filename", "recompile_reason",
    )  # fmt: skip
    metrics = dict.fromkeys(keys, value)
    it = log_of(
        record("compilation_metrics 0/0 " + json.dumps(metrics))
        + record("compilation_metrics 1/0 " + json.dumps({**metrics, "fail_type": value}))
        + record(
            "bwd_compilation_metrics 0/0 "
            + json.dumps({"duration_us": value, "inductor_compile_time_s": value})
        )
    )
    assert it.summary["compile_count"] + it.summary["capture_count"] == 2


def test_sums_of_enormous_times(log_of):  # 2**53 times 2**11 is more than 64 bits hold
    enormous = 2**53 - 1
    it = log_of(
        b"".join(
            record(f'compilation_metrics {i}/0 {{"dynamo_cumulative_compile_time_us": {enormous}}}')
            for i in range(2100)
        )
        + b"".join(record(f'bwd_compilation_metrics 0/0 {{"duration_us": {enormous}}}') for i in range(2100)),
        check=False,
    )
    assert it.summary["compile_us"] is None  # the time of none of them is recorded


@pytest.mark.parametrize(
    "begin,end", [(1e308, 0), (0, 1e308), (-1e308, 1e308), (-(2**63), 2**63 - 1), (2**64, 2**65), (5, 1)]
)
def test_spans_of_any_time(begin, end, log_of):
    it = log_of(log("dynamo_start 0/0") + span("dynamo", "B", begin, "0/0") + span("dynamo", "E", end, "0/0"))
    time_us = it.compile("0/0").row["total_us"]
    assert time_us is None or 0 <= time_us < 10**12


@pytest.mark.parametrize(
    "payload", ["[" * 1000 + "]" * 1000, "[1, 2]", "{}", "5", "", "\xff", '["a", ["b"]]']
)
def test_invalid_recompile_reasons_stay_as_written(payload, log_of):
    it = log_of(record("artifact:recompile_reasons 0/1", payload=payload) + record("dynamo_start 0/1"))
    assert it.compile("0/1").row["recompile_reason"] == (payload or None)


@pytest.mark.parametrize("payload", ["[]", "5", "{}", '{"pytorch_version": 5}', "[" * 1000, "\x00"])
def test_an_invalid_torch_version(payload, log_of):
    assert log_of(record("artifact:torch_version", payload=payload)).row["torch_version"] is None


# ---- masses


def test_20_000_damaged_records_are_counted_and_not_listed(log_of):
    it = log_of(b"V0401 12:00:00.000000 7 a.py:1] {\n" * 20_000, check=False)
    rows = [row for row in it.table("diagnostics") if row["code"] == "json-syntax"]
    assert it.row["diagnostics"]["json-syntax"] == sum(row["count"] for row in rows) == 20_000
    assert len(rows) == 1000


def test_many_kinds_of_events(log_of):
    it = log_of(b"".join(record(f"artifact:name_{i}", payload=f"payload {i}") for i in range(400)))
    assert [a.text() for a in it.artifacts] == [f"payload {i}" for i in range(400)]


def test_long_numbers_in_the_prefix(log_of):
    it = log_of(b"V0401 12:00:00.000000 " + b"9" * 5000 + b" a.py:" + b"9" * 5000 + b'] {"a": {}}\n')
    assert it.row["event_count"] == 1


def test_a_prefix_that_never_ends(log_of):
    it = log_of(b"V0401 12:00:00.000000 7 " + b"a:1:" * 250_000 + b"\n" + log("good"))
    assert it.row["event_count"] == 1
