"""The compilation metrics in full."""

import json

import pytest
import traces
from log_builder import log, record
from tlparse_bundle.log.events.metric_fields import FIELDS, GROUPS, UNITS

TYPES = (
    "compilation_metrics",
    "bwd_compilation_metrics",
    "compilation_metrics_runtime",
    "bwd_compilation_metrics_runtime",
)
PARSED = ("graph_node_shapes", "triton_kernel_compile_times_us")


def rows(it):
    return it.table("metrics")


def settings(it, number):
    """Rebuild a full configuration as the schema describes."""
    configs = it.table("metric_configs")
    row = configs[number]
    assert row["id"] == number
    if row["text"] is not None:
        return row["text"]
    if row["base"] is None:
        return row["value"]
    base = configs[row["base"]]
    assert base["field"] == row["field"]
    return {
        key: value for key, value in {**base["value"], **row["changes"]}.items() if key not in row["removed"]
    }


def safe_int(digits):
    """Return an integer, as text when JavaScript cannot hold it."""
    return digits if abs(int(digits)) >= 2**53 else int(digits)


def metrics(compile_id="0/0", event="compilation_metrics", **fields):
    return record(f"{event} {compile_id} {json.dumps(fields)}")


@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_every_field_is_there(built, path):
    """No field is lost between the metadata and the table."""
    (it,) = built(path).logs
    written = [
        json.loads(envelope)
        for envelope, _ in traces.scan(path.read_bytes())
        if b"compilation_metrics" in envelope[:60]
    ]
    written = [
        next(value for key, value in envelope.items() if "compilation_metrics" in key) for envelope in written
    ]
    assert len(written) == len(rows(it))
    for fields, row in zip(written, rows(it), strict=True):
        present = {key: value for key, value in fields.items() if value is not None}
        assert set(present) == {*row["values"], *row["configs"]}
        assert {
            key: value for key, value in present.items() if key not in PARSED and key in row["values"]
        } == {key: value for key, value in row["values"].items() if key not in PARSED}
        for name, number in row["configs"].items():
            assert settings(it, number) == json.loads(present[name], parse_int=safe_int)
        assert row["cut"] == []
    named = [field["name"] for field in it.table("metric_fields")]
    assert set(named) == {key for row in rows(it) for key in (*row["values"], *row["configs"])}


@pytest.mark.parametrize("path", traces.params(traces.FIXTURE_LOGS, traces.ROOT))
def test_every_field_of_this_release_is_known(built, path):
    (it,) = built(path).logs
    assert [field["name"] for field in it.table("metric_fields") if field["meaning"] is None] == []


def test_descriptions_of_fields():
    assert len({field.name for field in FIELDS}) == len(FIELDS) == 99 + 3, (
        "those of 2.13, and three of older releases"
    )
    for field in FIELDS:
        assert field.group in GROUPS and field.unit in {None, *UNITS} and field.meaning.endswith("."), field
        for ending, unit in (
            ("_time_us", "us"),
            ("_time_s", "s"),
            ("_time_ms", "ms"),
            ("_count", "count"),
            ("_bytes", "bytes"),
        ):
            if field.name.endswith(ending):
                assert field.unit == (
                    "epoch_us" if field.name in ("start_time_us", "end_time_us") else unit
                ), field


def test_forward_and_backward(built, root):
    """train_step: one compile; its backward is compiled later, under the same settings."""
    (it,) = built(root / "fixtures" / "train_step" / "trace").logs
    forward, backward = rows(it)
    assert (forward["type"], backward["type"]) == TYPES[:2]
    assert forward["compile"] == backward["compile"] == "0/0"
    assert (
        forward["values"]["co_name"],
        forward["values"]["is_forward"],
        forward["values"]["graph_op_count"],
    ) == ("forward", True, 3)
    assert (backward["values"]["is_forward"], "co_name" in backward["values"]) == (False, False)
    assert set(forward["configs"]) == {
        "dynamo_config",
        "compiler_config",
        "inductor_config",
        "functorch_config",
    }
    assert forward["configs"] == backward["configs"]
    assert [row["record_count"] for row in it.table("metric_configs")] == [2] * 4
    shapes = forward["values"]["graph_node_shapes"]
    assert len(shapes) == 3 + 5 and all(type(size) is int for sizes in shapes.values() for size in sizes)


def test_sizes_that_are_dynamic_stay_text(built, root):
    """recompiles: grows(x) with 4 rows, then with any number of them."""
    (it,) = built(root / "fixtures" / "recompiles" / "trace").logs
    static, dynamic = (row["values"]["graph_node_shapes"]["l_x_"] for row in rows(it)[:2])
    assert static == [4, 2]
    assert type(dynamic[0]) is str and dynamic[1] == 2


def test_failures(built, root):
    """All failures of the compile table, with the whole traceback."""
    (it,) = built(root / "fixtures" / "failures" / "trace").logs
    failed = {row["compile"]: row["values"] for row in rows(it) if "fail_type" in row["values"]}
    assert set(failed) == {compile.key for compile in it.compiles if compile.status == "failed"} and failed
    assert all(values["exception_stack_trace"] for values in failed.values())


# Hand-written records from here on, after torch's source: they need a GPU, a remote cache or another release.


def test_records_of_run_time(log_of):
    """Autotuning at run time passes a compile id without an attempt."""
    it = log_of(
        metrics("0/0", co_name="f")
        + record(
            'compilation_metrics_runtime {"is_runtime": true, "runtime_triton_autotune_time_us": 5}',
            frame_id=0,
            frame_compile_id=0,
        )
        + metrics("0/0", "bwd_compilation_metrics_runtime", runtime_cudagraphify_time_us=7)
        + metrics("", "aot_autograd_backward_compilation_metrics", start_time=1.5, elapsed_time=0.25)
    )
    assert [(row["type"], row["compile"]) for row in rows(it)] == [
        ("compilation_metrics", "0/0"),
        ("compilation_metrics_runtime", "0/0"),
        ("bwd_compilation_metrics_runtime", "0/0"),
        ("aot_autograd_backward_compilation_metrics", None),
    ]
    units = {field["name"]: field["unit"] for field in it.table("metric_fields")}
    assert units == {
        "co_name": None, "start_time": "epoch_s", "elapsed_time": "s", "is_runtime": None,
        "runtime_triton_autotune_time_us": "us", "runtime_cudagraphify_time_us": "us",
    }  # fmt: skip


def test_fields_of_another_release(log_of):
    it = log_of(metrics(new_thing_us=3, nothing=None, guard_count=1))
    assert rows(it)[0]["values"] == {"new_thing_us": 3, "guard_count": 1}
    assert [(field["name"], field["unit"], field["group"]) for field in it.table("metric_fields")] == [
        ("guard_count", "count", "counts"),
        ("new_thing_us", None, "other"),
    ]


def test_configs_that_differ(log_of):
    one, two = {"a": 1, "b": [1], "c": None}, {"a": True, "b": [1], "d": {"e": 2.5}}
    texts = [json.dumps(one), json.dumps(two), json.dumps(one), "Object is not JSON serializable: <object>"]
    it = log_of(b"".join(metrics(inductor_config=text, dynamo_config=texts[0]) for text in texts))
    numbers = [row["configs"]["inductor_config"] for row in rows(it)]
    assert [settings(it, number) for number in numbers] == [one, two, one, texts[3]]
    table = it.table("metric_configs")
    changed = table[numbers[1]]
    assert (changed["changes"], changed["removed"], changed["value"]) == (
        {"a": True, "d": {"e": 2.5}},
        ["c"],
        None,
    )
    assert [row["record_count"] for row in table if row["field"] == "inductor_config"] == [2, 1, 1]
    assert len(table) == 4, "two fields are two configurations, though equal"


def test_values_that_json_lacks(log_of):
    it = log_of(
        metrics(inductor_config='{"a": NaN, "b": 123456789012345678901}', guard_latency_us=float("inf"))
    )
    assert settings(it, 0) == {"a": "NaN", "b": "123456789012345678901"}
    assert rows(it)[0]["values"] == {"guard_latency_us": "Infinity"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'x': [s77, 2*s77 + 1], 'y': (1,), 'z': ()}", {"x": ["s77", "2*s77 + 1"], "y": [1], "z": []}),
        ("{'x': [Max(1, s0), (s0 + 1)//2, (s0)]}", {"x": ["Max(1, s0)", "(s0 + 1)//2", "(s0)"]}),
        ("{'x': None, 'y': [[1, 2], 3], \"it's\": [0]}", {"x": None, "y": [[1, 2], 3], "it's": [0]}),
        ("{}", {}),
        ("", None),
        ("{1: 2}", None),
        ("{'x': [1}", None),
        ("__import__('os').system('true')", None),
        ("{'x': " + "[" * 5000 + "]" * 5000 + "}", {"x": ...}),
        ("{'x': [s77], 'y': ['s77', 'it']}", {"x": ["s77"], "y": ["s77", "it"]}),
    ],
)
def test_shapes_of_the_nodes(log_of, found, text, value):
    it = log_of(metrics(graph_node_shapes=text))
    shown = rows(it)[0]["values"]["graph_node_shapes"]
    if value is None:
        assert shown == text[:20_000]
        assert [row[0] for row in found(it)] == ["table-parse"]
    elif ... in value.values():
        assert set(shown) == set(value)
    else:
        assert shown == value


def test_times_of_kernels(log_of, found):
    it = log_of(
        metrics(triton_kernel_compile_times_us='[["k", 12]]')
        + metrics("1/0", triton_kernel_compile_times_us="<unknown>")
    )
    assert [row["values"]["triton_kernel_compile_times_us"] for row in rows(it)] == [[["k", 12]], "<unknown>"]
    assert [row[0] for row in found(it)] == ["table-parse"]


def test_long_values_are_cut(log_of):
    it = log_of(
        metrics(
            fail_reason="x" * 30_000,
            stack_trace=["y" * 9_000] * 5,
            inductor_provenance=["z" * 70_000],
            feature_usage={str(n): True for n in range(5000)},
        )
    )
    (row,) = rows(it)
    assert row["cut"] == ["fail_reason", "stack_trace", "inductor_provenance", "feature_usage"]
    assert len(row["values"]["fail_reason"]) == 20_000 and len(row["values"]["stack_trace"]) == 2
    assert all(len(json.dumps(value)) < 23_000 for value in row["values"].values())


def test_records_of_any_shape(log_of, found):
    it = log_of(
        log("""
            compilation_metrics 0/0 [1]
            > V0401 12:00:00.000000 7 a.py:1] {"compilation_metrics": "text"}
            > V0401 12:00:00.000000 7 a.py:1] {"bwd_compilation_metrics": null}
            compilation_metrics 1/0 {"dynamo_config": 5, "inductor_config": "[1]", "graph_node_shapes": {"a": 1}, "_config": "{}"}
        """)
    )
    assert [len(row["values"]) for row in rows(it)] == [0, 0, 0, 2]
    assert settings(it, rows(it)[3]["configs"]["inductor_config"]) == "[1]"
    assert [row[0] for row in found(it)] == ["table-parse"] * 3


def test_too_many_configs(log_of, found):
    it = log_of(b"".join(metrics(f"{n}/0", x_config=json.dumps({"n": n})) for n in range(1003)))
    assert len(it.table("metric_configs")) == 1000
    assert [row["configs"]["x_config"] for row in rows(it)][-4:] == [999, None, None, None]
    assert [row[0] for row in found(it)] == ["table-parse"] * 3


def test_a_large_model_is_healthy(log_of, found):
    """The shapes of many nodes are cut, as 'cut' states: nothing is wrong with the log."""
    it = log_of(metrics(graph_node_shapes=str({f"node_{n}": [n, 768] for n in range(2000)})))
    (row,) = rows(it)
    assert row["cut"] == ["graph_node_shapes"] and row["values"]["graph_node_shapes"]["node_7"] == [7, 768]
    assert found(it) == []
