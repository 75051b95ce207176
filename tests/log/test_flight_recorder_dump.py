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
