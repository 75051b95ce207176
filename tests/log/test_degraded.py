"""Broken logs: each builds a sound bundle that restores the log (log_of checks both) and reports the damage.

Ranks, identity, compile ids, strings, stacks and times; bytes and blocks are in test_broken_bytes.py, hostile
values in test_hostile.py.
"""

import pytest
from log_builder import log, raw_record, record, span
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.row_objects import id_of

# ---- ranks


def test_a_log_without_rank_gets_none(log_of, found):
    it = log_of(log("dynamo_start 0/0"))
    assert (it.rank, it.directory["ranks"]) == (None, [{"rank": None, "event_count": 1}])
    assert found(it) == []


def test_the_rank_of_the_records_counts_when_the_name_has_none(log_of, found):
    it = log_of(log("dynamo_start 0/0\n dynamo_start 1/0 @3"))
    assert it.rank == 3
    assert found(it) == []


def test_mixed_ranks_are_kept_and_reported(log_of, found):
    it = log_of(log("a @2\n b @5\n c @2\n d"))
    assert it.rank == 2
    assert [event.row["record_rank"] for event in it.events()] == [2, 5, 2, None]
    assert it.directory["ranks"] == [
        {"rank": 2, "event_count": 2},
        {"rank": 5, "event_count": 1},
        {"rank": None, "event_count": 1},
    ]
    assert found(it) == [("rank-mixed", None, None, 1)]


def test_mixed_ranks_are_filed_under_the_rank_of_the_name(log_of, found):
    it = log_of(log("a @2\n b @5"), name="dedicated_log_torch_trace_rank_5_abc.log")
    assert it.rank == 5
    assert found(it) == [("rank-mixed", None, None, 1)]


def test_a_name_that_contradicts_the_records_is_reported(log_of, found):
    it = log_of(log("a @2"), name="dedicated_log_torch_trace_rank_7_abc.log")
    assert found(it) == [("rank-differs", None, None, 1)]
    assert it.rank in (2, 7) and [event.row["record_rank"] for event in it.events()] == [2]


@pytest.mark.parametrize("rank", ["-1", "1.5", "true", '"0"', "[]", "1180591620717411303424"])
def test_an_invalid_rank_is_ignored_and_kept_in_the_metadata(rank, log_of, found):
    it = log_of(raw_record('{"a": {}, "rank": %s}' % rank))
    assert it.rank is None
    (event,) = it.events()
    assert event.row["record_rank"] is None and "rank" in event.metadata
    assert found(it) == [("rank-invalid", 1, 0, 1)]


def test_two_logs_of_one_rank_stay_two(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"dedicated_log_torch_trace_rank_0_{name}.log").write_bytes(log(f"{name} @0"))
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    assert [(it.id, it.rank) for it in Bundle.open(tmp_path / "out").logs] == [
        ("rank_0_a", 0),
        ("rank_0_b", 0),
    ]


def test_two_logs_of_one_name_are_an_error_that_names_both(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.log").write_bytes(log("a"))
    with pytest.raises(BundleError) as error:
        discover([tmp_path])
    assert str(tmp_path / "one" / "x.log") in str(error.value) and str(tmp_path / "two" / "x.log") in str(
        error.value
    )


# ---- records


def test_an_unknown_event_is_kept_whole(log_of, found):
    it = log_of(log('brand_new 1/2_3 {"list": [1, {"deep": null}], "text": "é"}\n | payload\n | lines'))
    (event,) = it.events(type="brand_new", compile_id="1/2_3")
    assert event.metadata == {"brand_new": {"list": [1, {"deep": None}], "text": "é"}}
    assert event.text() == "payload\nlines"
    assert [(a.compile, a.attempt, a.name) for a in it.artifacts] == [("1/2", 3, "brand_new")]
    assert found(it) == []


def test_unknown_keys_are_kept(log_of):
    it = log_of(record('dynamo_start 0/0 {"new": 1}', subgraph_name="sub", another=[1, 2]))
    (event,) = it.events(type="dynamo_start")
    assert event.metadata == {"dynamo_start": {"new": 1}, "subgraph_name": "sub", "another": [1, 2]}


def test_of_several_events_in_a_record_the_first_counts_and_all_are_kept(log_of):
    it = log_of(
        raw_record(
            '{"rank": 0, "first": {"a": 1}, "dynamo_start": {"b": 2}, "frame_id": 0, "frame_compile_id": 0}'
        )
    )
    (event,) = it.events()
    assert (event.type, event.metadata) == ("first", {"first": {"a": 1}, "dynamo_start": {"b": 2}})


def test_of_equal_keys_the_last_counts(log_of):
    (event,) = log_of(
        raw_record('{"a": {"x": 1, "x": 2}, "frame_id": 0, "frame_compile_id": 0, "frame_id": 5}')
    ).events()
    assert event.metadata == {"a": {"x": 2}} and event.compile == "5/0"


def test_a_record_of_context_only_is_untyped(log_of):
    (event,) = log_of(raw_record('{"frame_id": 0, "frame_compile_id": 0, "attempt": 0}')).events()
    assert event.type == "untyped_record" and event.compile == "0/0"


@pytest.mark.parametrize(
    "envelope", ["[1, 2]", "5", '"text"', "null", "{", '{"a": }', "{} {}", "", "{'a': 1}"]
)
def test_a_record_that_is_not_an_object_is_a_damaged_event(envelope, log_of, found):
    data = log("good") + b"V0401 12:00:00.000000 7 a.py:1] " + envelope.encode() + b"\n" + log("good")
    it = log_of(data)
    assert [event.type for event in it.events()] == ["good", "damaged_record", "good"]
    (damaged,) = it.events(type="damaged_record")
    assert damaged.metadata == {"damaged_record": {"text": envelope}}
    assert found(it) == [("json-syntax", 2, len(log("good")), 1)]


def test_the_payload_of_a_damaged_record_is_kept(log_of):
    data = record("a", payload="kept\nall").replace(b'{"a"', b"{a")
    (event,) = log_of(data).events()
    assert (event.type, event.text()) == ("damaged_record", "kept\nall")


# ---- compile ids


@pytest.mark.parametrize("compile_id", ["0/0", "0/0_1", "12/3_4", "!0", "!1/0/0", "!2/1/0_3"])
def test_compile_ids_are_written_as_torch_writes_them(compile_id, log_of, found):
    it = log_of(log(f"x {compile_id}"))
    assert [id_of(row) for row in it.table("attempts")] == [compile_id]
    assert found(it) == []


def test_records_without_compile_id_belong_to_no_compile(log_of):
    it = log_of(log("a\n b 0/0\n dynamo_start 0/0\n c"))
    assert [(event.compile, event.attempt) for event in it.events()] == [
        (None, None),
        ("0/0", 0),
        ("0/0", 0),
        (None, None),
    ]
    assert [(c.key, c.status, c.row["event_count"]) for c in it.compiles] == [("0/0", "unfinished", 2)]
    assert it.summary["compile_count"] == 1


def test_an_id_without_attempt_is_attempt_0(log_of):
    it = log_of(raw_record('{"compilation_metrics_runtime": {}, "frame_id": 0, "frame_compile_id": 1}'))
    assert [(row["compile"], row["attempt"]) for row in it.table("attempts")] == [("0/1", 0)]


@pytest.mark.parametrize(
    "value", ["-1", "0.5", "1.0", "true", '"0"', "[]", "{}", "NaN", "1180591620717411303424"]
)
@pytest.mark.parametrize("key", ["frame_id", "frame_compile_id", "attempt", "compiled_autograd_id"])
def test_a_malformed_id_is_ignored_and_kept_in_the_metadata(key, value, log_of, found):
    ids = {"frame_id": "0", "frame_compile_id": "0", "attempt": "0", key: value}
    it = log_of(raw_record('{"x": {}, %s}' % ", ".join(f'"{k}": {v}' for k, v in ids.items())))
    (event,) = it.events()
    assert event.compile is None and it.table("attempts") == []
    assert event.metadata.keys() == {"x", *ids}
    assert found(it) == [("compile-id-invalid", 1, 0, 1)]


def test_half_an_id_is_shown_as_half(log_of):
    it = log_of(raw_record('{"x": {}, "frame_id": 3}') + raw_record('{"x": {}, "frame_compile_id": 4}'))
    assert (
        [event.compile for event in it.events()]
        == [row["compile"] for row in it.table("attempts")]
        == ["3/-", "-/4"]
    )


# ---- strings and stacks

FRAME = '{"line": 1, "name": "f", "filename": 0}'


def test_an_undefined_string_is_reported_once_and_the_frame_kept(log_of, found):
    it = log_of(log('dynamo_start 0/0 {"stack": [%s]}\n dynamo_start 1/0 {"stack": [%s]}' % (FRAME, FRAME)))
    assert it.compile("1/0").stack == [{"file": None, "line": 1, "function": "f", "code": None}]
    assert found(it) == [("string-undefined", 1, 0, 1)]


def test_a_file_unknown_to_torch_is_not_an_undefined_string(log_of, found):
    it = log_of(log('dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": -1}]}'))
    assert it.compile("0/0").stack[0]["file"] is None
    assert found(it) == []


def test_the_newest_definition_of_a_string_counts(log_of, found):
    first = log('str ["a.py", 0]\n dynamo_start 0/0 {"stack": [%s]}' % FRAME)
    it = log_of(first + log('str ["b.py", 0]\n str ["b.py", 0]\n dynamo_start 1/0 {"stack": [%s]}' % FRAME))
    assert [it.compile(key).stack[0]["file"] for key in ("0/0", "1/0")] == ["a.py", "b.py"]
    assert found(it) == [("string-redefined", 3, len(first), 1)]


@pytest.mark.parametrize(
    "value", ['["a.py"]', '["a.py", -1]', '["a.py", "0"]', "[0, 0]", '["a.py", 0, 1]', "[]"]
)
def test_a_string_without_text_and_id_is_reported(value, log_of, found):
    assert found(log_of(log(f"str {value}"))) == [("string-invalid", 1, 0, 1)]


def test_an_enormous_string_id_costs_nothing(log_of):
    it = log_of(
        log(
            'str ["a.py", 4294967295]\n dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename":'
            " 4294967295}]}"
        )
    )
    assert it.compile("0/0").stack[0]["file"] == "a.py"


@pytest.mark.parametrize(
    "frames",
    ['[5]', '["f"]', '[{"line": "1", "name": "f", "filename": 0}]', '[{"line": 1, "filename": 0}]', '[{"line": 1, "name": "f", "filename": []}]',
     '[{"line": 1, "name": "f", "filename": 0, "loc": 5}]', '[{"line": 1, "name": "f", "filename": 0, "uninterned_filename": 5}]'],
)  # fmt: skip
def test_an_invalid_stack_stays_in_the_metadata(frames, log_of, found):
    it = log_of(log('str ["a.py", 0]\n dynamo_start 0/0 {"stack": %s}' % frames))
    (event,) = it.events(type="dynamo_start")
    assert "stack" in event.metadata["dynamo_start"] and it.compile("0/0").stack == []
    assert [row[0] for row in found(it)] == ["stack-invalid"]


def test_an_unknown_field_of_a_frame_is_reported(log_of, found):
    it = log_of(
        log(
            'str ["a.py", 0]\n dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0, "column":'
            " 4}]}"
        )
    )
    assert it.compile("0/0").stack[0]["file"] == "a.py"
    assert [row[0] for row in found(it)] == ["frame-fields"]


@pytest.mark.parametrize("value", ["99", "-1", "0", '"x"', "null", "[0]"])
@pytest.mark.parametrize("key", ["stack_index", "user_stack_index"])
def test_an_invented_index_is_not_a_stack(key, value, log_of):
    it = log_of(
        log('dynamo_start 0/0 {"%s": %s}' % (key, value)) + raw_record('{"x": {}, "%s": %s}' % (key, value))
    )
    assert it.compile("0/0").stack == []
    for event in it.events():
        holder = event.metadata if event.type == "x" else event.metadata["dynamo_start"]
        assert str(holder[key]).replace("None", "null") in (value.strip('"'), "null")
        assert type(holder[key]) is not int


def test_an_empty_stack_is_none(log_of, found):
    it = log_of(log('dynamo_start 0/0 {"stack": []}'))
    assert it.compile("0/0").stack == [] and found(it) == []


# ---- times


def test_invalid_times_take_the_time_of_the_record_before(log_of, found):
    times = (
        "0401 12:00:01.000000",
        "9901 00:00:00.000000",
        "0231 00:00:00.000000",
        "0401 25:00:00.000000",
        "0401 12:00:02.000000",
    )
    it = log_of(b"".join(record("x", time=time) for time in times))
    assert [event.row["time_us"] for event in it.events()] == [0, 0, 0, 0, 1_000_000]
    assert [(code, line) for code, line, _, _ in found(it)] == [
        ("time-invalid", 2),
        ("time-invalid", 3),
        ("time-invalid", 4),
    ]


def test_times_continue_past_new_year(log_of):
    it = log_of(
        b"".join(
            record("x", time=f"{time}.000000")
            for time in ("1231 23:59:59", "0101 00:00:01", "1231 23:59:59", "0101 00:00:02")
        )
    )
    assert [event.row["time_us"] for event in it.events()] == [0, 2_000_000, 0, 3_000_000]


def test_29_february_is_a_day(log_of):
    it = log_of(b"".join(record("x", time=f"{day} 00:00:00.000000") for day in ("0228", "0229", "0301")))
    assert [event.row["time_us"] // 86_400_000_000 for event in it.events()] == [0, 1, 2]


def test_year_and_zone_come_from_a_chromium_event(log_of):
    noon_utc = 1_711_972_800_000_000  # 2024-04-01 12:00:00
    it = log_of(
        record("x", time="0401 13:59:59.000000")
        + span("dynamo", "B", noon_utc + 123).replace(b"12:00:00.000000", b"14:00:00.000000")
    )
    assert it.directory["clock"] == {
        "origin": "04-01 13:59:59.000000", "origin_epoch_us": noon_utc - 1_000_000, "year": 2024, "utc_offset_minutes": 120,
    }  # fmt: skip
    assert it.row["diagnostics"]["clock-inferred"] == 1


def test_without_chromium_event_the_year_is_unknown(log_of):
    it = log_of(log("x"))
    assert it.directory["clock"] == {
        "origin": "04-01 12:00:00.000000",
        "origin_epoch_us": None,
        "year": None,
        "utc_offset_minutes": None,
    }
    assert it.row["diagnostics"] == {"year-unknown": 1}


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "5",
        "[]",
        "{}",
        "not json",
        '{"name": "x", "ph": "B"}',
        '{"name": 1, "ph": "B", "ts": 1}',
        '{"name": "x", "ph": "B", "ts": NaN}',
    ],
)
def test_an_invalid_trace_event_is_kept_outside_the_timeline(payload, log_of, found):
    it = log_of(record("chromium_event 0/0", payload=payload))
    assert [event.text() for event in it.events()] == [payload]
    assert not any(row["kind"] == "timeline" for row in it.table("blobs")) and found(it) == [
        ("timeline-invalid", 1, 0, 1)
    ]
