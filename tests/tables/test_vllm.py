"""The vLLM tables, checked against a separate script's reading of the raw records; generated logs for other
cases.
"""

import hashlib
import json

import pytest
from log_builder import record, span
from tlparse_bundle.tables.vllm.table import arguments, shape_of, signature


@pytest.fixture(scope="module")
def truth(root):
    return json.loads((root / "fixtures" / "vllm" / "pieces.json").read_bytes())


@pytest.fixture(scope="module")
def real(built, root):
    def of(name):
        (log,) = built(next((root / "fixtures" / "vllm").glob(f"{name}*.log.zst"))).logs
        return log

    return of


TABLES = ("vllm_backends", "vllm_submodules", "vllm_pieces", "vllm_passes", "vllm_compile_events")
NAMES = [
    "llama-cold/", "llama-warm/", "llama-jit-cold/", "llama-jit-warm/", "llama-fail/", "passes-cold/", "qwen3-ranges/",
    *(f"llama-tp2-{start}/dedicated_log_torch_trace_rank_{rank}" for start in ("cold", "warm") for rank in (0, 1)),
]  # fmt: skip


def true_of(truth, name):
    return next(said for path, said in truth.items() if path.startswith(name))


def digest(log, piece, name):
    payloads = [
        artifact.bytes()
        for artifact in log.artifacts
        if artifact.event in piece["events"] and artifact.row["name"] == name
    ]
    assert len(payloads) <= 1
    return hashlib.md5(payloads[0]).hexdigest() if payloads else None


@pytest.mark.parametrize("name", NAMES)
def test_pieces_agree_with_the_raw_records(real, truth, name):
    log, said = real(name), true_of(truth, name)
    pieces, backends = log.table("vllm_pieces"), log.table("vllm_backends")
    names = {artifact.event: artifact.row["name"] for artifact in log.artifacts}
    found = [
        {
            "submodule": piece["submodule"], "from": piece["range_start"], "to": piece["range_end"], "outcome": piece["outcome"],
            "equal": [pieces[other]["submodule"] for other in piece["equal_to"]],
            "duration_us": piece["duration_us"], "inductor_us": piece["inductor_time_us"],
            "graph": digest(log, piece, "aot_inference_graph"), "code": digest(log, piece, "inductor_output_code"),
            "artifacts": [names[index] for index in piece["events"]],
        }
        for piece in pieces if piece["start_event"] is not None
    ]  # fmt: skip
    assert found == said["pieces"]
    made = [row for row in backends if not row["is_loaded"]]
    assert [
        {
            "prefix": row["prefix"],
            "compile_sizes": row["config"].get("compile_sizes"),
            "duration_us": row["duration_us"],
        }
        for row in made
    ] == said["backends"]
    assert [row["capture_time_us"] for row in made] == [said["capture_us"]] * len(made)


@pytest.mark.parametrize(
    ("warm", "cold"),
    [
        ("llama-warm/", "llama-cold/"),
        *(
            (f"llama-tp2-warm/{rank}", f"llama-tp2-cold/{rank}")
            for rank in ("dedicated_log_torch_trace_rank_0", "dedicated_log_torch_trace_rank_1")
        ),
    ],
)
def test_a_loaded_piece_is_the_cold_one_with_its_code(real, truth, warm, cold):
    """Ten threads load in parallel, so the order of the records means nothing."""
    loaded, compiled = real(warm).table("vllm_pieces"), real(cold).table("vllm_pieces")
    (backend,) = real(warm).table("vllm_backends")
    assert backend["is_loaded"] and backend["event"] is None and backend["config"] == {}
    by_code = {piece["code_hash"]: piece for piece in compiled if piece["code_hash"]}
    joined = [by_code[piece["code_hash"]] for piece in loaded]
    assert [
        {
            "code": digest(real(warm), piece, "inductor_output_code"),
            "cold": [other["submodule"], other["range_start"], other["range_end"]],
        }
        for piece, other in zip(loaded, joined, strict=True)
    ] == true_of(truth, warm)["loads"]
    assert {piece["outcome"] for piece in loaded} == {"loaded"} and len(joined) == 10
    # Its graph is found by its arguments when only one piece has them; its load then has a time.
    assert [piece["graph_hash"] for piece in loaded] == [piece["graph_hash"] for piece in joined]
    for piece in loaded:
        twice = sum(other["graph_hash"] == piece["graph_hash"] for other in loaded) > 1
        assert not twice or piece["load_time_us"] is None
        assert piece["load_time_us"] is None or piece["load_time_us"] <= backend["duration_us"]
    assert sum(piece["load_time_us"] is not None for piece in loaded) >= 7
    assert [piece["aot_id"] for piece in loaded] == [piece["aot_id"] for piece in joined]


def test_reuse_is_known_where_only_one_piece_has_the_code(real):
    log = real("llama-jit-cold/")
    pieces = log.table("vllm_pieces")
    reused = {
        (piece["submodule"], piece["range_start"], piece["range_end"]): piece["reused"]
        for piece in pieces
        if piece["outcome"] == "reused"
    }
    places = [(piece["submodule"], piece["range_start"], piece["range_end"]) for piece in pieces]
    assert {piece: places[index] for piece, index in reused.items()} == {
        ("submod_4", 1, 1): ("submod_2", 1, 1),
        ("submod_4", 1, 64): ("submod_2", 1, 64),
    }
    submodules = log.table("vllm_submodules")
    assert [row["same_as"] for row in submodules] == [None, None, submodules[1]["name"], None]


def test_passes_have_their_changes(real):
    rows = [row for row in real("passes-cold/").table("vllm_passes") if row["piece"] == 0]
    assert [(row["number"], row["name"], row["is_equal"]) for row in rows] == [
        (None, "VllmIRInplaceFunctionalizationPass", False), (0, "NoOpEliminationPass", False), (1, "PostCleanupPass", True),
        (2, "VllmIRLoweringPass", False), (3, "UnsafeCloneEliminationPass", True), (4, "PostCleanupPass", True), (5, "FixFunctionalizationPass", True),
    ]  # fmt: skip
    assert all(
        row["added"] == row["removed"] == {} and row["node_count"] == row["base_node_count"]
        for row in rows
        if row["is_equal"]
    )
    lowering = rows[3]
    assert any("vllm_ir" in name for name in lowering["removed"]) and not any(
        "vllm_ir" in name for name in lowering["added"]
    )
    assert lowering["node_count"] - lowering["base_node_count"] == sum(lowering["added"].values()) - sum(
        lowering["removed"].values()
    )


@pytest.mark.parametrize(
    ("name", "status", "time_us"),
    [
        ("llama-cold/", "ok", 45_101_895),
        ("llama-fail/", "failed", 3_263_340),
        ("llama-jit-cold/", "ok", 57_366_075),
    ],
)
def test_a_compile_ahead_of_time_has_status_and_time(real, name, status, time_us):
    """The metrics of the capture record 640 µs, and have no compile id."""
    (compile,) = real(name).compiles
    assert (compile.status, compile.row["total_us"]) == (status, time_us)
    assert 0 <= real(name).summary["compile_us"] - time_us < 5_000
    assert compile.row["failure_type"] == ("InductorError" if status == "failed" else None)


def test_other_programs_have_an_empty_table(built, root):
    for fixture in ("train_step", "aoti", "export_dtrace"):
        for log in built(root / "fixtures" / fixture / "trace").logs:
            assert not any(log.table(name) for name in TABLES)


# Generated logs

GRAPH = (
    'class GraphModule(torch.nn.Module):\n    def forward(self, layer_{n}_w: "f32[8]", x_{n}: "f32[s0]"):\n  '
    "      add = x_{n} + layer_{n}_w\n        return (add,)"
)


def config(prefix="backbone", compile_id=""):
    return record(
        f"artifact:vllm_compilation_config {compile_id}".strip(), payload=json.dumps({"prefix": prefix})
    )


def start(name, first=1, last=1, compile_id="", **more):
    said = {
        "submod_name": name,
        "compile_range_start": first,
        "compile_range_end": last,
        "is_single_size": first == last,
        **more,
    }
    return record(f"artifact:vllm_piecewise_compile_start {compile_id}".strip(), payload=json.dumps(said))


def graph(number, compile_id=""):
    return record(f"graph_dump:vllm_submod_{number} {compile_id}".strip(), payload=GRAPH.format(n=number))


def compiled(number, compile_id="", code="code"):
    """Return the records of a compile of the graph of a submodule."""
    parts = [
        ("artifact:aotautograd_cache_miss", '{"key": "k"}'),
        ("artifact:before_pre_grad_graph", GRAPH.format(n=number)),
        ("inductor_output_code", f"{code} {number}"),
        ("artifact:runtime_wrapper_orchestration", "x"),
    ]
    return b"".join(record(f"{name} {compile_id}".strip(), payload=payload) for name, payload in parts)


def finished(compile_id=""):
    return record(f"artifact:vllm_execution_code {compile_id}".strip(), payload="run()")


def outcomes(log):
    return [
        (piece["submodule"], piece["outcome"], len(piece["events"])) for piece in log.table("vllm_pieces")
    ]


def test_a_graph_belongs_to_its_compile(log_of):
    """Starts that are written before the compiles, in a different order."""
    log = log_of(
        config()
        + start("submod_0")
        + graph(0)
        + start("submod_2")
        + graph(2)
        + compiled(0)
        + compiled(2)
        + finished()
    )
    assert outcomes(log) == [("submod_0", "compiled", 5), ("submod_2", "compiled", 5)]


def test_a_second_backend_has_pieces_of_its_own(log_of):
    """A draft model: its submodules have the same names, and no piece of the other is reused."""
    log = log_of(
        config()
        + start("submod_0")
        + graph(0)
        + compiled(0)
        + finished()
        + config("draft_model")
        + start("submod_0")
        + graph(0)
        + compiled(0, code="other")
        + finished()
    )
    assert [row["prefix"] for row in log.table("vllm_backends")] == ["backbone", "draft_model"]
    assert [
        (piece["backend"], piece["outcome"], piece["equal_to"]) for piece in log.table("vllm_pieces")
    ] == [(0, "compiled", []), (1, "compiled", [])]
    assert len(log.table("vllm_submodules")) == 2


def test_two_compiles_at_once_are_kept_apart(log_of):
    parts = [
        config("a", "0/0"),
        config("b", "1/0"),
        start("submod_0", compile_id="0/0"),
        start("submod_0", compile_id="1/0"),
        compiled(0, "1/0"),
        compiled(0, "0/0", "more"),
        finished("0/0"),
    ]
    log = log_of(b"".join(parts))
    assert [
        (piece["backend"], piece["compile"], piece["attempt"], piece["outcome"])
        for piece in log.table("vllm_pieces")
    ] == [(0, "0/0", 0, "compiled"), (1, "1/0", 0, "compiled")]
    assert [row["is_ended"] for row in log.table("vllm_backends")] == [True, False]


def test_records_after_the_last_piece_are_not_part_of_it(log_of):
    log = log_of(
        config()
        + start("submod_0")
        + compiled(0)
        + finished()
        + record("artifact:later", payload="{}")
        + record("inductor_output_code", payload="x")
    )
    assert outcomes(log) == [("submod_0", "compiled", 4)]


def test_a_log_that_ends_within_a_piece(log_of):
    half = compiled(0).partition(b'V0401 12:00:00.000000 7 torch/a.py:1] {"inductor_output_code"')[0]
    assert outcomes(log_of(config() + start("submod_0") + half)) == [("submod_0", "unfinished", 2)]
    assert outcomes(log_of(config() + start("submod_0"))) == [("submod_0", "unfinished", 0)]


def test_no_compile_and_no_end_is_not_a_reuse(log_of):
    """The backend ended with an exception before the first record of a compile."""
    ended = span("vllm_backend", "B", 1) + config() + start("submod_0") + span("vllm_backend", "E", 2000)
    (piece,) = log_of(ended).table("vllm_pieces")
    assert piece["outcome"] is None and piece["reused"] is None


def test_several_equal_pieces_leave_open_which_was_used(log_of):
    log = log_of(
        config()
        + start("submod_0")
        + graph(0)
        + compiled(0)
        + start("submod_2")
        + graph(2)
        + compiled(2)
        + start("submod_4")
        + graph(4)
        + finished()
    )
    (piece,) = [piece for piece in log.table("vllm_pieces") if piece["outcome"] == "reused"]
    assert piece["equal_to"] == [0, 1] and piece["reused"] is None


def test_mixed_records_of_two_loads_give_their_code_alone(log_of):
    names = (
        "artifact:fx_graph_runnable",
        "artifact:inductor_post_grad_graph",
        "inductor_output_code",
        "artifact:fx_graph_bundled_cache_hit",
    )
    mixed = [record(name, payload=f"{name} {load}") for name in names for load in (0, 1)]
    whole = [record(name, payload=f"{name} 2") for name in names]
    pieces = log_of(b"".join([*mixed, *whole, finished()])).table("vllm_pieces")
    assert [len(piece["events"]) for piece in pieces] == [1, 1, 4]
    assert len({piece["code_hash"] for piece in pieces}) == 3 and {piece["outcome"] for piece in pieces} == {
        "loaded"
    }


def test_loads_outside_vllm_are_not_pieces(log_of):
    loads = (
        record("artifact:fx_graph_runnable", payload="a")
        + record("inductor_output_code", payload="b")
        + record("artifact:fx_graph_bundled_cache_hit", payload="{}")
    )
    log = log_of(loads)
    assert not any(log.table(name) for name in TABLES)


@pytest.mark.parametrize(
    "said",
    [
        "[]",
        "{",
        '{"submod_name": 7, "compile_range_start": true, "compile_range_end": -1}',
        '{"submod_name": "../<b>", "compile_range_start": 1e300}',
    ],
)
def test_strange_starts_are_kept_and_ignored(log_of, said):
    log = log_of(config() + record("artifact:vllm_piecewise_compile_start", payload=said) + finished())
    (piece,) = log.table("vllm_pieces")
    assert (piece["range_start"], piece["range_end"], piece["outcome"]) == (None, None, "reused")
    assert piece["submodule"] in (None, "../<b>")


def test_graphs_are_equal_but_for_names():
    assert shape_of(GRAPH.format(n=0)) == shape_of(GRAPH.format(n=12))
    assert shape_of(GRAPH.format(n=0)) != shape_of(
        GRAPH.format(n=0).replace("x_0 + layer_0_w", "layer_0_w + x_0")
    )
    assert shape_of(GRAPH.format(n=0)) != shape_of(GRAPH.format(n=0).replace("f32[8]", "f32[9]"))
    assert shape_of("no graph") is None and arguments("no graph") == ()


def test_arguments_are_the_same_in_both_forms():
    expanded = (
        'class <lambda>(torch.nn.Module):\n    def forward(\n        self,\n        a_1: "f32[8, 4][4,'
        ' 1]cpu",  # PlainAOTInput(idx=0)\n        b_1,  # PlainAOTInput(idx=1)\n    ):\n        return ()'
    )
    assert signature(expanded) == signature('def forward(self, a_1: "f32[8, 4][4, 1]cpu", b_1):')
    assert arguments(expanded) == ("a_1", "b_1")
    assert arguments("def forward(self):") == ()


def test_a_hostile_graph_takes_no_time():
    line = '        a: "f32[1, 1, 1, 1]",\n'
    assert arguments("def forward(\n        self,\n" + line * 20_000) == ()
    assert len(arguments("def forward(self, " + "a, " * 20_000 + ")")) == 20_000


def test_a_backend_has_the_type_of_the_last_event_before_it(log_of):
    def event(kind):
        return record("artifact:vllm_compile_event", payload=json.dumps({"type": kind}))

    loaded = b"".join(
        record(f"{name} 1/0", payload="x")
        for name in (
            "artifact:fx_graph_runnable",
            "artifact:inductor_post_grad_graph",
            "inductor_output_code",
            "artifact:fx_graph_bundled_cache_hit",
        )
    )
    log = log_of(
        config("none")
        + finished()
        + event("fresh_compile")
        + event("aot_cache_hit")
        + config("second")
        + finished()
        + loaded
        + finished("1/0")
    )
    assert [(row["is_loaded"], row["compile_event_type"]) for row in log.table("vllm_backends")] == [
        (False, None),
        (False, "aot_cache_hit"),
        (True, "aot_cache_hit"),
    ]
    assert [row["type"] for row in log.table("vllm_compile_events")] == ["fresh_compile", "aot_cache_hit"]
