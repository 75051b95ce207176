"""Hostile records, and records missing from all logs here, in the report that replaces tlparse's.

Files are compared where tlparse 0.4.3 handles a record; otherwise the difference is stated.
"""

import hashlib
import json
import random
import re
import struct

import pytest
import traces
from legacy_tlparse import run_tlparse
from log_builder import log, raw_record, record, span
from test_legacy import PAGES_NOT_MADE, compare, report, take_year
from tlparse_bundle import build, discover
from tlparse_bundle.bundle.reader import Bundle

NAME = "dedicated_log_torch_trace_x.log"
GUARDS = '[{"code": "x == 1", "stack": null}]'
STACK_TRACES = "inductor_provenance_tracking_kernel_stack_traces"


@pytest.fixture
def both(tmp_path):
    """Return both(data): our report and tlparse's of a log of these bytes, without years and the pages that
    we don't write.
    """

    def write(data, *options):
        folder = tmp_path / f"both{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / NAME).write_bytes(data)
        build(discover([folder / NAME]), folder / "bundle", jobs=1)
        ours = report(Bundle.open(folder / "bundle"), folder / "ours", export="--export" in options)
        theirs = run_tlparse(folder / NAME, folder / "theirs", *options)
        take_year(ours), take_year(theirs)
        return ours, {path: content for path, content in theirs.items() if path not in PAGES_NOT_MADE}

    return write


SAME = {
    "each kind of file": (
        """
        str ["a.py", 2]
        optimize_ddp_split_graph 0/0
            | graph
        compiled_autograd_graph !1/0/0
            | graph
        aot_forward_graph 0/0_2
            | graph
        inductor_pre_grad_graph
            | graph
        graph_dump:dump 0/0 {"type": "cpp"}
            | code
        inductor_output_code 0/0 {"filename": "/tmp/a.b/cabc.de.py"}
            | code
        inductor_output_code 0/0 {"filename": ".hidden"}
            | code
        inductor_output_code 0/0
            | code
        optimize_ddp_split_child:submod_0 0/0
            | graph
        bwd_compilation_metrics 0/0 {"fail_type": "E"}
        aot_autograd_backward_compilation_metrics 0/0 {"start_time": 1.5}
        link:somewhere/else 0/0 {"url": "https://pytorch.org/a_cache_hit"}
        dump_file:<eval_with_key>.7 0/0
            | source
        dump_file:other_cache_miss 0/0
            | source
        exported_program
            | program
        compilation_metrics 0/0 {"fail_type": null, "cache_size": 3}
    """
    ),
    "names": (
        """
        artifact:a.b.c 0/0
            | text
        artifact:.hidden 0/0
            | text
        artifact:sub/dir//./name 0/0
            | text
        artifact:fx_graph_cache_hit 0/0
            | text
        artifact:aotautograd_cache_bypass 0/0 {"encoding": "json"}
            | {}
        artifact:é日本 0/0
            | text
        artifact:cache_miss_cache_hit/x 0/0
            | text
    """
    ),
    "guards": (
        f"""
        dynamo_guards 0/0
            | {GUARDS}
        dynamo_guards 0/0
            | no JSON
        dynamo_guards 0/0
            | [{{"code": 1}}]
        artifact:last 0/0
            | text
    """
    ),
    "a page beside the stack traces of kernels": (
        f"""
        artifact:{STACK_TRACES} 0/0 {{"encoding": "json"}}
            | {{"kernel:1": ["File a.py\\\\nline"]}}
        artifact:{STACK_TRACES}_x 0/0 {{"encoding": "json"}}
            | no JSON
        artifact:last 0/0
            | text
    """
    ),
    "ranks": (
        """
        artifact:before
            | text
        artifact:first @3
            | text
        artifact:other @1
            | text
        chromium_event @1
            | {"name": "x", "ph": "i", "ts": 1}
        artifact:without
            | text
        str ["b.py", 1]
        artifact:last @3
            | text
    """
    ),
    "the timeline": (
        """
        chromium_event
            | 5
        chromium_event
            | {"z": 1, "a": {"é": [], "b": {}}}
        chromium_event
            | no JSON
    """
    ),
    "nothing": "> not a record",
    "payloads": (
        """
        unknown_event 0/0
            | text
        unknown_event 0/0
            | text
        artifact:json 0/0 {"encoding": "base64"}
            | text of another encoding
        artifact:none 0/0
        artifact:lines 0/0
            |
            |
    """
    ),
    "keys that the line gets": (
        """
        a 0/0 {"stack": []}
        > V0401 12:00:00.000000 7 a.py:1] {"b": {}, "lineno": 1}
        > V0401 12:00:00.000000 7 a.py:1] {"b": {}, "payload_filename": 1}
    """
    ),
    "ids without an attempt": (
        """
        > V0401 12:00:00.000000 7 a.py:1] {"frame_id": 0, "frame_compile_id": 1, "graph_dump": {"name": "a"}}
        > V0401 12:00:00.000000 7 a.py:1] {"frame_id": 0, "frame_compile_id": 1, "attempt": 0, "graph_dump": {"name": "a"}}
        > V0401 12:00:00.000000 7 a.py:1] {"frame_id": 0, "graph_dump": {"name": "a"}}
        > V0401 12:00:00.000000 7 a.py:1] {"attempt": 5, "graph_dump": {"name": "a"}}
        > V0401 12:00:00.000000 7 a.py:1] {"frame_id": "0", "graph_dump": {"name": "a"}}
        > V0401 12:00:00.000000 7 a.py:1] {"frame_id": -1, "frame_compile_id": 1, "graph_dump": {"name": "a"}}
    """
    ),
    "several kinds in one record": (
        """
        > V0401 12:00:00.000000 7 a.py:1] {"compilation_metrics": {}, "graph_dump": {"name": "a"}, "link": {"name": "n", "url": "u"}, "artifact": {"name": "b", "encoding": "json"}}
    """
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_the_files_are_those_of_tlparse(case, both):
    compare(*both(log(SAME[case])), {})


def test_numbers_and_texts_are_written_as_tlparse_does(both):
    random.seed(20)
    floats = [
        repr(value) for (value,) in struct.iter_unpack("<d", random.randbytes(8 * 3000)) if abs(value) < 1e300
    ]
    floats += [repr(random.random() * 10 ** random.randint(-12, 20)) for _ in range(3000)]
    numbers = [
        "-0",
        "-0.0",
        "1e16",
        "1e15",
        "1e-5",
        "0.0000123",
        "1e-6",
        "3.9e-05",
        "5e-324",
        "1e-400",
        "0e400",
        "1E+5",
        "123456789012345678901234567890.5e-10",
    ]
    numbers += [
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
    ]
    # \\ud83d\\ude00 is a surrogate pair, which is one character
    texts = (
        '["\\u0000\\u001f\\u007f\\b\\f\\n\\r\\t\\"\\\\\\/", "\\u2028é\\ud83d\\ude00", {"b": 1, "a": 2, "a":'
        ' 3, "é": 0, "Z": 0, "\\uffff": 1, "\\ud83d\\ude00": 2}]'
    )
    payloads = [f"[{', '.join([*floats, *numbers])}]", texts, "[" * 127 + "]" * 127]
    payloads += [
        "[" * 128 + "]" * 128,
        "[NaN]",
        "[1e400]",
        '["\\ud800"]',
        "[1] 2",
        "",
        "\ufeff[]",
        "01",
        "[1,]",
    ]  # serde_json does not accept it
    data = b"".join(
        record(f'artifact:a{number} {{"encoding": "json"}}', payload=payload)
        for number, payload in enumerate(payloads)
    )
    ours, theirs = both(data)
    compare(ours, theirs, {})
    assert ours["-_-_-_-/a3_3.json"] == payloads[3].encode()
    compare(*both(raw_record('{"a": %s}' % payloads[0]) + raw_record('{"a": %s}' % texts)), {})


EXPORTS = """
    expression_created {"result_id": 1, "result": "u0"}
    guard_added {"expr": "a < 1", "prefix": "eval", "expr_node_id": 1}
    guard_added {"expr": "b < 1", "prefix": "runtime_assert", "expr_node_id": 1}
        | not written by tlparse either
    propagate_real_tensors_provenance {"expr": "c", "result": "True", "expr_node_id": 1}
        | payload
    missing_fake_kernel {"op": "x.y"}
    mismatched_fake_kernel {"op": "x.z", "reason": "why"}
    exported_program
        | program
    compilation_metrics {}
        | metrics
"""


def test_export_mode(both):
    ours, theirs = both(log(EXPORTS), "--export")
    failures = json.loads(ours.pop("export_failures.json"))
    compare(ours, theirs, {})
    assert failures == {
        "exported_program": "-_-_-_-/exported_program_2.txt",
        "failures": [
            {"type": "Guard Evaluated", "expr": "a < 1", "page": "-_-_-_-/symbolic_guard_information_0.html"},
            {
                "type": "Data Dependent Error",
                "expr": "c",
                "result": "True",
                "page": "-_-_-_-/symbolic_guard_information_1.html",
            },
            {"type": "Missing Fake Kernel", "op": "x.y", "page": None},
            {"type": "Mismatched Fake Kernel", "op": "x.z", "reason": "why", "page": None},
        ],
    }


# ---- what tlparse cannot do


@pytest.fixture
def written(log_of, tmp_path):
    """Return written(data): our report of a log as {path: bytes}, with no file beside it."""

    def write(data, **options):
        it = log_of(data)
        outer = tmp_path / f"outer{len(list(tmp_path.iterdir()))}"
        outer.mkdir()
        files = report(it.bundle, outer / "a" / "b", **options)
        assert [path.name for path in (*outer.iterdir(), *(outer / "a").iterdir())] == ["a", "b"]
        return files

    return write


VLLM = """
    artifact:vllm_compilation_config {"encoding": "json"}
        | {"model": "a", "backend": "inductor"}
    graph_dump:vllm_piecewise_split_graph 0/0
        | split
    artifact:vllm_piecewise_compile_start 0/0 {"encoding": "json"}
        | {"piecewise_index": 0}
    graph_dump:vllm_submod_0 0/0
        | piece
    graph_dump:vllm_subgraph_1 0/0
        | piece of an older release
    graph_dump:vllm_post_grad.0.NoOpEliminationPass 0/0
        | pass
    artifact:vllm_compilation_config {"encoding": "json"}
        | no JSON
    compilation_metrics 0/0 {"cache_size": 1}
"""


def test_records_of_vllm(written):
    """Like tlparse 0.4.8, because 0.4.3 writes the config once and one file per graph."""
    files = written(log(VLLM))
    made = {path: files[path] for path in files if re.match(r"-_", path)}
    config = b'{\n  "backend": "inductor",\n  "model": "a"\n}'
    assert {path: data for path, data in made.items() if not path.endswith(".html")} == {
        "-_-_-_-/vllm_compilation_config_0.json": config,
        "-_-_-_-/vllm_compilation_config_1.json": config,
        "-_0_0_0/vllm_piecewise_split_graph_2.txt": b"split",
        "-_0_0_0/vllm_piecewise_compile_start_3.json": b'{\n  "piecewise_index": 0\n}',
        "-_0_0_0/vllm_submod_0_4.txt": b"piece",
        "-_0_0_0/vllm_subgraph_1_5.txt": b"piece of an older release",
        "-_-_-_-/vllm_compilation_config_6.json": b"no JSON",
    }
    assert [path for path in made if path.endswith(".html")] == ["-_0_0_0/compilation_metrics_7.html"]
    lines = [json.loads(line) for line in files["raw.jsonl"].splitlines()[1:]]
    assert [line.get("payload_filename", "").rpartition("/")[2] for line in lines] == [
        "vllm_compilation_config_1.json", "vllm_piecewise_split_graph_2.txt", "vllm_piecewise_compile_start_3.json", "vllm_submod_0_4.txt",
        "vllm_subgraph_1_5.txt", f"{hashlib.md5(b'pass').hexdigest()}.txt", "vllm_compilation_config_6.json", "",
    ]  # fmt: skip
    assert files[f"payloads/{hashlib.md5(b'pass').hexdigest()}.txt"] == b"pass"
    exported = written(log(VLLM), export=True)
    assert {path for path in exported if re.match(r"-_", path)} == {
        "-_-_-_-/vllm_compilation_config_0.json", "-_0_0_0/vllm_piecewise_split_graph_1.txt", "-_0_0_0/vllm_submod_0_2.txt", "-_0_0_0/vllm_subgraph_1_3.txt",
    }  # fmt: skip


NAMES = [
    "../../evil",
    "/etc/evil",
    "..",
    "",
    "a/../../../b",
    "nul\0nul",
    "x" * 300,
    "日" * 300,
    "a/" * 3000,
    "line\nfeed",
    "\ud800",
    "</script>",
    "a\\..\\..\\b",
    "." * 300,
    "x." + "y" * 300,
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_never_becomes_a_path(name, written, tmp_path):
    """tlparse writes to such a path wherever it is, or gives up."""
    keys = ["graph_dump", "artifact", "dump_file", "optimize_ddp_split_child", "link"]
    value = {"name": name, "encoding": "json", "url": name}
    data = b"".join(raw_record(json.dumps({key: value}), payload=f"text of {key}") for key in keys)
    data += raw_record(json.dumps({"inductor_output_code": {"filename": name}}), payload="text of code")
    data += record("unknown_event", payload="text of unknown", md5=json.dumps(name)[1:-1])
    files = written(data)
    for kind in ("graph_dump", "artifact", "optimize_ddp_split_child", "code", "unknown"):
        assert f"text of {kind}".encode() in files.values()
    for entry in json.loads(files["compile_directory.json"])["[-/-]"]["artifacts"]:
        assert entry["url"] in files or entry["url"] == value["url"].encode("utf-16", "surrogatepass").decode(
            "utf-16", "replace"
        )
    assert all(len(part.encode()) < 256 for path in files for part in path.split("/"))


def test_a_file_and_a_folder_of_one_name(written):
    files = written(
        log("""
        artifact:a 0/0
            | first
        artifact:a_0.txt/b 0/0
            | second
        artifact:c_3.txt/d 0/0
            | third
        artifact:c 0/0
            | fourth
        artifact:payloads 0/0
            | fifth
    """)
    )
    assert {files[path] for path in files if path.startswith("-_0_0_0/")} == {
        b"first",
        b"second",
        b"third",
        b"fourth",
        b"fifth",
    }


@pytest.mark.parametrize(
    "value",
    [
        True,
        5,
        "text",
        [],
        [1],
        {"name": 5},
        {"name": None, "encoding": 7},
        {"name": {"a": []}, "filename": 5, "url": 7},
        None,
    ],
)
def test_values_of_a_wrong_type_do_not_affect_others(value, written):
    keys = [
        "artifact",
        "graph_dump",
        "dump_file",
        "link",
        "inductor_output_code",
        "dynamo_guards",
        "compilation_metrics",
        "optimize_ddp_split_child",
    ]
    keys += [
        "str",
        "rank",
        "has_payload",
        "chromium_event",
        "guard_added",
        "missing_fake_kernel",
        "exported_program",
        "attempt",
        "stack",
    ]
    data = b"".join(raw_record(json.dumps({key: value, "pad": 1}), payload="text") for key in keys) + record(
        "artifact:last @5", payload="last"
    )
    files = written(data)
    assert b"last" in files.values()
    # A string with an invalid text is an ordinary record, and so is one with an invalid rank.
    assert len(files["raw.jsonl"].splitlines()) >= len(keys)
    files = written(data, export=True)
    json.loads(files["export_failures.json"])


def test_an_enormous_string_id(written):
    """tlparse allocates 103 GB."""
    table = written(log('str ["a.py", 1]\nstr ["b.py", 4294967295]'))["raw.jsonl"]
    assert table == b'{"string_table":[null,"a.py"]}\n'


def test_a_string_id_beyond_32_bits(written):
    """tlparse reads it as a 32-bit number, so the record defines no string."""
    table, line = written(log('str ["a.py", 4294967296]'))["raw.jsonl"].splitlines()
    assert b"a.py" not in table and json.loads(line)["str"] == ["a.py", 4294967296]


def test_numbers_beyond_64_bits(written):
    """tlparse panics."""
    _, line = written(
        log("a").replace(b" 7 torch/a.py:1]", b" %s torch/a.py:%s]" % (b"9" * 30, b"8" * 5000))
    )["raw.jsonl"].splitlines()
    line = json.loads(line)
    assert (line["thread"], line["lineno"], line["pathname"]) == ("9" * 30, "8" * 5000, " torch/a.py")


def test_a_failure_without_a_reason(written):
    """tlparse exits without a file."""
    files = written(log('compilation_metrics 0/0 {"fail_type": "E"}'))
    assert b"fail_type" in files["-_0_0_0/compilation_metrics_0.html"]


def test_invalid_utf8(written):
    """tlparse exits without a file."""
    files = written(record("artifact:a", payload=b"\xff\xfe") + raw_record(b'{"b": "\xff"}'))
    assert files["-_-_-_-/a_0.txt"] == b"\xff\xfe"
    assert json.loads(files["raw.jsonl"].splitlines()[2])["b"] == "\ufffd"


def test_a_record_with_invalid_json_does_not_affect_others(written):
    files = written(
        log(
            "> V0401 12:00:00.000000 7 a.py:1] {oops\na\n> V0401 12:00:00.000000 7 a.py:1] [1]\n> V0401"
            " 12:00:00.000000 7 a.py:1] "
        )
        + raw_record('{"deep": %s}' % ("[" * 5000))
    )
    assert [
        json.loads(line).keys() - {"timestamp", "thread", "pathname", "lineno"}
        for line in files["raw.jsonl"].splitlines()
    ] == [{"string_table"}, {"a"}]


def test_the_year_turns(written):
    """tlparse gives all records the current year."""
    start = 1_798_761_599_000_000  # 2026-12-31 23:59:59 UTC
    data = span("x", "B", start).replace(b"0401 12:00:00.000000", b"1231 23:59:59.000000")
    data += (
        record("before", time="1231 23:59:59.500000")
        + record("after", time="0101 00:00:01.000000")
        + record("late", time="1231 23:59:59.900000")
    )
    lines = [json.loads(line) for line in written(data)["raw.jsonl"].splitlines()[1:]]
    assert [line["timestamp"] for line in lines] == [
        "2026-12-31T23:59:59.500000Z",
        "2027-01-01T00:00:01.000000Z",
        "2026-12-31T23:59:59.900000Z",
    ]
    _, line = written(log("a"))["raw.jsonl"].splitlines()
    assert json.loads(line)["timestamp"] == "1970-04-01T12:00:00.000000Z"


def test_the_report_is_the_same_twice(root, built, tmp_path):
    bundle = built(root / "fixtures/ranks4/trace")
    assert report(bundle, tmp_path / "one") == report(bundle, tmp_path / "two")
    assert traces.files(tmp_path / "one").keys() >= {"rank_3/raw.log", "chromium_events.json"}
