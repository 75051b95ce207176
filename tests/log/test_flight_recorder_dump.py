"""What a dump has, and what is wrong with a malformed one."""

import json
import os
import pickle

import pytest
import traces
from tlparse_bundle.bundle.schema_check import schema_problems
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.log.flight_recorder import dump as dump_module
from tlparse_bundle.log.flight_recorder.dump import BadDump, rank_of_name, read_dump

DUMPS = traces.ROOT / "fixtures" / "flight_recorder"


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("nccl_trace_rank_7", 7),
        ("comm_lib_trace_rank_12", 12),
        ("flight_recorder_rank_0.json", 0),
        ("host3_rank5.pkl", 5),
        ("dump_3", 3),
        ("dump", None),
        ("rank", None),
        ("v2_dump.json", None),
        ("rank_99999999", None),
    ],
)
def test_the_rank_is_in_the_name(name, rank):
    assert rank_of_name(name) == rank


def test_json_and_pickle_of_one_job_agree():
    """The JSON of a rank that made the same calls has the same rows, except for times and stacks."""
    pickled = read_dump(DUMPS / "missing_call" / "dumps" / "nccl_trace_rank_0", 100)
    in_json = read_dump(DUMPS / "json_dumps" / "dumps" / "flight_recorder_rank_0.json", 100)
    own = ("created_epoch_us", "stack")
    plain = [
        [{k: v for k, v in call.items() if k not in own} for call in dump.calls]
        for dump in (pickled, in_json)
    ]
    assert plain[0] == plain[1] and len(plain[0]) == 5
    assert pickled.groups == in_json.groups
    assert pickled.groups[0][1:] == ("0", "default_pg", (0, 1, 2, 3), 5, None, 4)
    assert (pickled.row["stacks"], in_json.row["stacks"]) == (True, False)
    assert (pickled.row["version"], in_json.row["version"]) == ("2.10", "2.10")
    assert [frame["function"] for frame in pickled.stacks[0]].count("sync") == 2


def test_only_the_last_calls_are_kept():
    dump = read_dump(DUMPS / "missing_call" / "dumps" / "nccl_trace_rank_0", 2)
    assert [call["record"] for call in dump.calls] == [3, 4]
    assert (dump.row["entry_count"], dump.row["call_count"]) == (5, 2)


ENTRY = json.loads((DUMPS / "mesh" / "dumps" / "flight_recorder_rank_0.json").read_bytes())["entries"][0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cut off"),
        (b"{", "not valid JSON"),
        (b"[1, 2]", "no list 'entries'"),
        (b'{"entries": {}}', "no list 'entries'"),
        (b"not a dump", "not a plain pickle"),
        (b"[" * 100_000, "JSON|nested too deeply"),
        (pickle.dumps({"entries": None}), "no list 'entries'"),
        (pickle.dumps([{}]), "no list 'entries'"),
        (b"cos\nsystem\n(S'true'\ntR.", "GLOBAL can execute code"),
    ],
)
def test_a_file_that_is_not_a_dump(tmp_path, content, message):
    path = tmp_path / "dump_rank_0"
    path.write_bytes(content)
    with pytest.raises(BadDump, match=message):
        read_dump(path, 100)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"process_group": None}, "has no process_group"),
        ({"process_group": ["0"]}, "has no process_group"),
        ({"process_group": [0, {}]}, "has no process_group"),
        ({"profiling_name": 5}, "has no profiling_name"),
        ({"profiling_name": "nccl:all_reduce; rm -rf /"}, "has no profiling_name"),
        ({"record_id": -1}, "has no record_id"),
        ({"record_id": True}, "has no record_id"),
        ({"collective_seq_id": "5"}, "has no collective_seq_id"),
        ({"collective_seq_id": 10**30}, "JSON|has no collective_seq_id"),
    ],
)
def test_an_entry_that_is_malformed_is_left_out_and_reported(tmp_path, change, message):
    path = tmp_path / "dump_rank_0.json"
    path.write_text(json.dumps({"version": "2.10", "entries": [ENTRY, {**ENTRY, **change}, 7]}))
    dump = read_dump(path, 100)
    assert [call["record"] for call in dump.calls] == [0]
    (problem,) = dump.problems
    assert problem.startswith("2 of 3 entries were left out: entry 1 ")
    assert message.split("|")[-1] in problem


def test_values_of_a_wrong_type_are_unknown(tmp_path):
    """No field of a hostile entry gets into a row with a type that its schema does not allow."""
    hostile = [
        None,
        True,
        -5,
        2.5,
        1e308,
        10**18,
        "text\ud800",
        [],
        {},
        [[[]]],
        [{}],
        "x" * 100_000,
        ["a"] * 10_000,
    ]
    optional = sorted(set(ENTRY) - {"process_group", "profiling_name", "record_id", "collective_seq_id"})
    entries = [
        {**ENTRY, field: value, "record_id": number}
        for number, (field, value) in enumerate(
            (field, value) for field in [*optional, "frames", "duration_ms"] for value in hostile
        )
    ]
    path = tmp_path / "dump_rank_0"
    path.write_bytes(
        pickle.dumps(
            {"entries": entries, "pg_config": hostile, "pg_status": {"0": hostile}, "version": hostile}, 4
        )
    )
    dump = read_dump(path, 10_000)
    assert len(dump.calls) == len(entries)
    assert dump.problems == ["its format version is not 2.x, so parts may be misread"]
    for call in dump.calls:
        json.dumps(call).encode("utf-8")
        assert schema_problems(schema("flight_recorder_calls"), call, relaxed=False) == []


def test_a_large_file_and_a_pipe_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "dump_rank_0"
    path.write_bytes(b" " * 1000)
    monkeypatch.setattr(dump_module, "MAX_BYTES", 999)
    with pytest.raises(OSError, match="1,000 bytes"):
        read_dump(path, 100)
    os.mkfifo(tmp_path / "pipe_rank_1")
    with pytest.raises(OSError, match="not a regular file"):
        read_dump(tmp_path / "pipe_rank_1", 100)


def read(tmp_path, value, most_calls=100):
    path = tmp_path / "dump_rank_0"
    path.write_bytes(json.dumps(value).encode())
    return read_dump(path, most_calls)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"entries": [', "it is not valid JSON"),
        (b'{"entries": ' + b"[" * 100_000, "nested too deeply|not valid JSON"),
        (b" []", "it has no list 'entries'"),
        (b'{"entries": {}}', "it has no list 'entries'"),
        (pickle.dumps([1], 2), "it has no list 'entries'"),
    ],
)
def test_a_file_of_something_else(tmp_path, content, message):
    path = tmp_path / "dump_rank_0"
    path.write_bytes(content)
    with pytest.raises(BadDump, match=message):
        read_dump(path, 10)


@pytest.mark.parametrize(
    ("name", "operation", "source", "destination", "p2p"),
    [
        ("nccl:send 0->1", "send", 0, 1, True),
        ("nccl:recv 0<-1", "recv", 1, 0, True),
        ("nccl:all_reduce", "all_reduce", None, None, False),
    ],
)
def test_who_sends_to_whom(tmp_path, name, operation, source, destination, p2p):
    (call,) = read(tmp_path, {"version": "2.4", "entries": [{**ENTRY, "profiling_name": name}]}).calls
    found = (call["operation"], call["source"], call["destination"], call["p2p"])
    assert found == (operation, source, destination, p2p)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ("[3, 1, 1]", (1, 3)),
        ([3, 1, -1, "x"], (1, 3)),
        ("[]", None),
        ("ranks 0 and 1", None),
        (5, None),
    ],
)
def test_members_of_a_group(tmp_path, ranks, expected):
    group, description = ENTRY["process_group"]
    config = {"a": {"name": group, "desc": "another", "ranks": ranks}, "b": {"name": "7", "ranks": [0]}}
    found = {one.group: one for one in read(tmp_path, {"entries": [ENTRY], "pg_config": config}).groups}
    assert (found[group].ranks, found[group].description) == (expected, description)
    assert (found["7"].ranks, found["7"].description) == ((0,), "")


@pytest.mark.parametrize("name", ["default_pg", "mine"])
def test_the_only_group_may_have_no_name(tmp_path, name):
    """As gloo records it; a group of another description is not taken for the default one."""
    entry = {**ENTRY, "process_group": ["0", name]}
    config = {"0": {"ranks": [0, 1]}}
    (group,) = read(tmp_path, {"entries": [entry], "pg_config": config}).groups
    assert group.ranks == ((0, 1) if name == "default_pg" else None)
    both = {**config, "1": {"ranks": [2, 3]}}
    (group,) = read(tmp_path, {"entries": [entry], "pg_config": both}).groups
    assert group.ranks is None


@pytest.mark.parametrize(
    ("value", "expected"), [(5, 5), ("5", 5), (-1, None), ("-1", None), (0, 0), ("x", None), (True, None)]
)
def test_counts_of_a_group(tmp_path, value, expected):
    entry = {**ENTRY, "pg_id": 4}
    status = {"4": {"last_enqueued_collective": value, "last_started_collective": 1}}
    (group,) = read(tmp_path, {"entries": [entry], "pg_status": status}).groups
    assert (group.last_enqueued, group.last_started, group.last_completed) == (expected, 1, None)


@pytest.mark.parametrize(
    ("field", "value", "row", "expected"),
    [
        ("time_discovered_completed_ns", 1999, "completed_epoch_us", 1),
        ("time_discovered_completed_ns", 0, "completed_epoch_us", None),
        ("time_discovered_completed_ns", -1, "completed_epoch_us", None),
        ("duration_ms", 0.0015, "duration_us", 2),
        ("duration_ms", 0, "duration_us", 0),
        ("duration_ms", -1, "duration_us", None),
        ("input_sizes", [[2, -3], "x"], "input_sizes", [[2, -1]]),
        ("input_sizes", "x", "input_sizes", []),
        ("input_dtypes", ["Float", 3], "input_dtypes", ["Float"]),
        ("input_dtypes", "Float", "input_dtypes", []),
    ],
)
def test_fields_of_a_call(tmp_path, field, value, row, expected):
    (call,) = read(tmp_path, {"version": "2.4", "entries": [{**ENTRY, field: value}]}).calls
    assert call[row] == expected
