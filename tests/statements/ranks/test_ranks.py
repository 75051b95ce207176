"""The analyses of several ranks, on real programs of the fixtures and on small logs."""

import json

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.statements.ranks.rank_sets import ranks_in

SCENARIOS = sorted(
    path.parent.name
    for path in traces.ROOT.glob("fixtures/ranks_*/truth.json")
    if (path.parent / "trace").is_dir()
)


@pytest.fixture
def bundle_of(tmp_path):
    """Return bundle_of({rank: text of a log}): the sound bundle of these ranks."""

    def build_it(texts):
        folder = tmp_path / f"logs{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for rank, text in texts.items():
            data = (
                text if isinstance(text, bytes) else log(f"{text}\n        r @{rank}")
            )  # no two are equal byte for byte
            (folder / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(data)
        build(discover([folder]), folder / "out", jobs=1)
        bundle = Bundle.open(folder / "out")
        assert validate(bundle) == []
        return bundle

    return build_it


def kinds(bundle):
    """Return [(kind, ranks, key of the compile there)] of the findings."""
    return [(s["kind"], ranks_in(s["ranks"]), s["compile"]) for s in bundle.rank_table("rank_findings")]


# How one rank differs in the programs of the fixtures, in the words of the verdict.
FIRST = {
    "ranks4": ("collectives", [2], "gathers"),
    "ranks_other_shape": ("graph", [2], "block"),
    "ranks_extra_break": ("graph-break", [1], "block"),
    "ranks_execution_order": ("execution-order", [3], "block"),
    "ranks_missing_collective": ("collectives", [2], "reduce"),
    "ranks_killed": ("unfinished-compile", [3], "reduce"),
    "ranks_straggler": ("straggler", [1], "block"),
}


@pytest.mark.parametrize("name", ["ranks4", *SCENARIOS])
def test_the_verdict_names_rank_compile_and_reason(built, root, name):
    bundle = built(root / "fixtures" / name / "trace")
    statements = bundle.rank_table("rank_findings")
    if name == "ranks_healthy":
        assert statements == []
        return
    compiles = bundle.rank_table("rank_compiles")
    first = statements[0]
    assert (first["kind"], ranks_in(first["ranks"]), compiles[first["rank_compile"]]["function"]) == FIRST[
        name
    ]
    roots = [s for s in statements if s["because_of"] is None]
    assert {tuple(ranks_in(s["ranks"])) for s in roots} == {tuple(FIRST[name][1])}, "no other rank is accused"


def test_another_shape_is_named(built, root):
    bundle = built(root / "fixtures" / "ranks_other_shape" / "trace")
    first, *_ = bundle.rank_table("rank_findings")
    (named,) = first["details"]["inputs"]
    assert (named["name"], named["here"]["shape"], named["others"]["shape"]) == ("L['x']", [17, 8], [16, 8])
    assert "input `x` of `block` [1/0] is float32 (17, 8) instead of float32 (16, 8)" in first["title"]


def test_a_missing_collective_is_named(built, root):
    bundle = built(root / "fixtures" / "ranks_missing_collective" / "trace")
    (found,) = [s for s in bundle.rank_table("rank_findings") if s["kind"] == "collectives"]
    assert found["severity"] == "warning"  # it is in a group of its own, which rank 2 may not be in
    assert found["details"]["others"] == "torch.ops._c10d_functional.all_reduce_.default"
    assert found["details"]["counts"]["torch.ops._c10d_functional.all_reduce_.default"] == [1, 2]


def test_one_rank_has_no_analyses(built, root):
    bundle = built(root / "fixtures" / "killed" / "trace")
    assert (
        not {"job", "rank_tables"} & set(bundle.manifest)
        and bundle.job is None
        and bundle.rank_table("rank_findings") == []
    )
    with pytest.raises(BundleError, match="no table 'verdict' about several ranks"):
        bundle.rank_table("verdict")


def compile_of(function, id_, graph="g", line=1, more=""):
    stack = json.dumps({"stack": [{"line": line, "name": function, "filename": 0}]})
    metrics = json.dumps(
        {
            "co_name": function,
            "co_filename": "a.py",
            "co_firstlineno": line,
            "start_time_us": 1_000_000,
            "duration_us": 5,
        }
    )
    return f"""
        dynamo_start {id_} {stack}
        dynamo_output_graph {id_}
            | {graph}
        {more}
        compilation_metrics {id_} {metrics}
    """


def text_of(*compiles):
    return 'str ["a.py", 0]\n' + "".join(compiles)


def table(bundle):
    """Return [{compile: key}] for each rank; a compile is its function and number."""
    names = [f"{row['function']}#{row['number']}" for row in bundle.rank_table("rank_compiles")]
    cells = {
        rank: dict(zip(names, row["compiles"], strict=True))
        for row in bundle.rank_table("rank_compile_keys")
        for rank in ranks_in(row["ranks"])
    }
    return names, [cells[rank] for rank in sorted(cells)]


def test_an_extra_compile_shifts_ids_and_not_columns(bundle_of):
    usual = text_of(compile_of("f", "0/0"), compile_of("g", "1/0", "h"))
    bundle = bundle_of(
        {
            0: usual,
            1: text_of(compile_of("f", "0/0"), compile_of("warm", "1/0", "w"), compile_of("g", "2/0", "h")),
            2: usual,
        }
    )
    names, cells = table(bundle)
    assert names == ["f#1", "warm#1", "g#1"]
    assert [row["g#1"] for row in cells] == ["1/0", "2/0", "1/0"]
    assert kinds(bundle) == [("extra-compile", [1], "1/0")]
    assert bundle.rank_table("rank_findings")[0]["details"] == {"shifted": True}
    assert bundle.job["agreeing"] == [[0, 0], [2, 2]]


def test_an_extra_recompile_is_found_by_its_graph(bundle_of):
    usual = text_of(compile_of("f", "0/0", "a"), compile_of("f", "0/1", "b"))
    other = text_of(compile_of("f", "0/0", "x"), compile_of("f", "0/1", "a"), compile_of("f", "0/2", "b"))
    names, cells = table(bundle_of({0: usual, 1: usual, 2: other}))
    assert names == ["f#1", "f#2", "f#3"]
    assert cells[0] == {"f#1": None, "f#2": "0/0", "f#3": "0/1"}
    assert cells[2] == {"f#1": "0/0", "f#2": "0/1", "f#3": "0/2"}


def test_another_graph_in_the_place_of_one_is_the_same_column(bundle_of):
    usual = text_of(compile_of("f", "0/0", "a"), compile_of("f", "0/1", "b"))
    bundle = bundle_of(
        {0: usual, 1: text_of(compile_of("f", "0/0", "a"), compile_of("f", "0/1", "other")), 2: usual}
    )
    assert table(bundle)[0] == ["f#1", "f#2"]
    assert kinds(bundle) == [("graph", [1], "0/1")]
    (found,) = bundle.rank_table("rank_findings")
    assert found["details"]["line"] == {
        "artifact": "dynamo_output_graph",
        "change": "replaced",
        "number": 1,
        "here": "other",
        "others": "b",
    }


def test_another_order_of_compiles(bundle_of):
    usual = text_of(compile_of("f", "0/0"), compile_of("g", "1/0", "h"))
    bundle = bundle_of({0: usual, 1: text_of(compile_of("g", "0/0", "h"), compile_of("f", "1/0")), 2: usual})
    assert kinds(bundle) == [("compile-order", [1], "0/0")]
    assert bundle.rank_table("rank_divergences")[0]["number"] == 1


def test_a_compile_in_the_middle_is_missing(bundle_of):
    """A rank that continues without a compile; one that stopped before it has its own finding."""
    f, h = compile_of("f", "0/0"), compile_of("h", "1/0", "i")
    usual = text_of(f, compile_of("g", "1/0", "h"), compile_of("h", "2/0", "i"))
    bundle = bundle_of({0: usual, 1: text_of(f, h), 2: usual, 3: text_of(f, h), 4: usual, 5: text_of(f)})
    assert kinds(bundle) == [("never-began", [5], None), ("missing-compile", [1, 3], None)]
    assert bundle.rank_table("rank_findings")[1]["title"] == (
        "Ranks 1 and 3 did not compile `g` [1/0], but ranks 0, 2 and 4 did"
    )


@pytest.mark.parametrize(
    "one, other",
    [
        ('f32[4]"cuda:0"', 'f32[4]"cuda:1"'),
        ("# graph id: 140012345678", "# graph id: 139987654321"),
        ("# File: /a/b/train.py:3 in f, code: x", "# File: /else/where/b/train.py:3 in f, code: x"),
        ("with torch.cuda._DeviceGuard(0): cuda:0", "with torch.cuda._DeviceGuard(3): cuda:3"),
        ("at 0x7f0012345678>", "at 0x7fff12345678>"),
    ],
)
def test_ever_different_values_are_not_a_difference(bundle_of, one, other):
    bundle = bundle_of({0: text_of(compile_of("f", "0/0", one)), 1: text_of(compile_of("f", "0/0", other))})
    assert kinds(bundle) == []


def test_stages_skipped_by_a_cache_are_not_a_difference(bundle_of):
    full = "aot_inference_graph 0/0\n | inner\n inductor_output_code 0/0\n | code\n"
    bundle = bundle_of(
        {
            0: text_of(compile_of("f", "0/0", more=full)),
            1: text_of(compile_of("f", "0/0", more="inductor_output_code 0/0\n | code\n")),
        }
    )
    assert kinds(bundle) == []
    (row,) = bundle.rank_table("rank_graphs")
    assert row["ranks"] == [[0, 1]] and [*row["contents"].values()].count(None) == 4


def test_later_stages_are_named(bundle_of):
    def with_code(code):
        return text_of(compile_of("f", "0/0", more=f"inductor_output_code 0/0\n | {code}\n"))

    bundle = bundle_of({0: with_code("a"), 1: with_code("b"), 2: with_code("a")})
    (found,) = bundle.rank_table("rank_findings")
    assert (found["kind"], found["ranks"], found["details"]["stage"]) == ("graph", [[1, 1]], "code")


def schedule(*ops, id_="0/0"):
    return f'artifact:inductor_collective_schedule {id_} {{"encoding": "json"}}\n | {json.dumps(list(ops))}\n'


REDUCE, GATHER, WAIT = (
    f"torch.ops._c10d_functional.{name}.default"
    for name in ("all_reduce_", "all_gather_into_tensor", "wait_tensor")
)


def code(*ops, id_="0/0"):
    return f'inductor_output_code {id_} {{"filename": "/x/c.py"}}\n' + "".join(
        f" | {op}(buf0)\n" for op in ops
    )


def test_all_schedules_of_a_compile_are_compared(bundle_of):
    """tlparse takes one of them, whichever the file system lists first."""
    first = schedule(REDUCE, WAIT) + code(REDUCE, WAIT)
    usual = text_of(compile_of("f", "0/0", more=first + schedule(GATHER, WAIT) + code(GATHER, WAIT)))
    other = text_of(compile_of("f", "0/0", more=first + schedule(GATHER, REDUCE, WAIT) + code(GATHER, WAIT)))
    bundle = bundle_of({0: usual, 1: usual, 2: other})
    schedules, whole = bundle.rank_table("rank_schedules"), bundle.rank_table("rank_collectives")
    assert [row["schedules"] for row in schedules] == [
        [[REDUCE, WAIT], [GATHER, WAIT]],
        [[REDUCE, WAIT], [GATHER, REDUCE, WAIT]],
    ]
    assert schedules[1].items() >= {"schedule": 1, "position": 1, "here": REDUCE, "others": WAIT}.items()
    assert whole[1].items() >= {"position": 3, "rank_compile": 0, "here": REDUCE, "others": WAIT}.items()
    assert [(row["op"], row["scheduled"], row["in_code"]) for row in bundle.rank_table("rank_parity")] == [
        ("all_reduce", 2, 1)
    ]
    assert [kind for kind, _, _ in kinds(bundle)] == ["collective-parity", "collectives"]


def test_a_schedule_that_a_rank_lacks_counts(bundle_of):
    """Its code is in the log and not from a cache, so there was no second schedule."""
    first = schedule(REDUCE, WAIT) + code(REDUCE, WAIT)
    usual = text_of(compile_of("f", "0/0", more=first + schedule(GATHER, WAIT) + code(GATHER, WAIT)))
    bundle = bundle_of({0: usual, 1: usual, 2: text_of(compile_of("f", "0/0", more=first))})
    whole = bundle.rank_table("rank_collectives")
    assert [(row["ranks"], row["op_count"], row["position"]) for row in whole] == [
        ([[0, 1]], 4, None),
        ([[2, 2]], 2, 2),
    ]
    assert whole[1]["counts"] == {GATHER: [0, 1], WAIT: [1, 2]}


def test_calls_come_in_the_order_of_the_code(bundle_of):
    """Inductor may order them differently from the graph, which has the types."""
    gather = f"{GATHER}(x, 4, '0')"
    reduce = f"{REDUCE}(x, 'sum', '0')"
    more = (
        f'inductor_post_grad_graph 0/0\n | a: "f32[8]" = {reduce}\n | b: "f32[32]" = {gather}\n'
        f'inductor_output_code 0/0 {{"filename": "/x/c.py"}}\n | b = {gather}\n | a = {reduce}\n'
    )
    bundle = bundle_of({rank: text_of(compile_of("f", "0/0", more=more)) for rank in range(2)})
    assert [(row["op"], row["dtype"], row["shape"]) for row in bundle.rank_table("collective_calls")] == [
        ("all_gather_into_tensor", "f32", [32]),
        ("all_reduce", "f32", [8]),
    ]


def test_code_with_comparisons_and_comments_is_counted_right(bundle_of):
    """tlparse removes text between '<' and '>', and text after '//'."""
    lines = (
        f"inductor_output_code 0/0\n | if a < b: {REDUCE}(buf0)\n | n = a // 2; {WAIT}(buf0); c = d > e\n | #"
        f" {REDUCE}(buf1)\n | s = '{GATHER}(x)'\n"
    )
    rank = text_of(compile_of("f", "0/0", more=schedule(REDUCE, WAIT) + lines))
    bundle = bundle_of({0: rank, 1: rank})
    assert bundle.rank_table("rank_parity") == [] and kinds(bundle) == []


def test_a_missing_wait_is_found(bundle_of):
    rank = text_of(compile_of("f", "0/0", more=schedule(REDUCE, WAIT) + code(REDUCE)))
    bundle = bundle_of({0: rank, 1: rank})
    assert kinds(bundle) == [("missing-wait", [0, 1], "0/0")]
    assert bundle.rank_table("rank_parity")[0]["missing_waits"] == 1


def test_a_rank_with_code_from_a_cache_has_no_schedule(bundle_of):
    hit = 'artifact:fx_graph_cache_hit 0/0 {"encoding": "json"}\n | {"cache_state": "hit"}\n'
    miss = hit.replace("hit", "miss")
    usual = text_of(compile_of("f", "0/0", more=miss + schedule(REDUCE, WAIT) + code(REDUCE, WAIT)))
    bundle = bundle_of(
        {0: usual, 1: text_of(compile_of("f", "0/0", more=hit + code(REDUCE, WAIT))), 2: usual}
    )
    assert kinds(bundle) == [("cached-before", [1], None)]
    assert [(row["ranks"], row["schedules"]) for row in bundle.rank_table("rank_schedules")] == [
        ([[0, 0], [2, 2]], [[REDUCE, WAIT]]),
        ([[1, 1]], None),
    ]
    assert [
        (row["rank_compile"], row["ranks"], row["outcomes"]) for row in bundle.rank_table("rank_caches")
    ] == [
        (0, [[0, 0], [2, 2]], ["fx_graph miss"]),
        (0, [[1, 1]], ["fx_graph hit"]),
    ]


def meta(shape=(4,), ns=7, name="mm"):
    op = {
        "name": name,
        "type": "compute",
        "estimated_runtime_ns": ns,
        "outputs": [{"shape": list(shape), "stride": [1], "dtype": "float32"}],
    }
    return (
        'artifact:inductor_runtime_and_tensor_meta 0/0 {"encoding": "json"}\n |'
        f" {json.dumps({'ops': [op]})}\n"
    )


def test_tensors_are_compared_without_run_times_and_names(bundle_of):
    ranks = [
        text_of(compile_of("f", "0/0", more=more))
        for more in (meta(ns=7), meta(ns=9), meta(name=None), meta(shape=(5,)))
    ]
    bundle = bundle_of(dict(enumerate(ranks)))
    assert kinds(bundle) == [("tensors", [3], "0/0")]
    assert [(row["rank"], row["graph_count"]) for row in bundle.rank_table("rank_estimate_totals")] == [
        (rank, 1) for rank in range(4)
    ]
    usual, other = bundle.rank_table("rank_tensors")
    assert (
        usual["ranks"] == [[0, 2]]
        and usual["graph"] is None
        and (other["graph"], other["here"][0]["shape"]) == (0, [5])
    )
    (row,) = bundle.rank_table("rank_estimates")
    assert (row["fastest_rank"], row["fastest_ns"], row["slowest_rank"], row["slowest_ns"]) == (0, 7, 1, 9)
    assert bundle.rank_table("rank_estimate_ops") == [
        {"rank_compile": 0, "graph": 0, "position": 0, "name": "mm", "fastest_ns": 7, "slowest_ns": 9}
    ]


def ran(*ids):
    order = json.dumps({"graph_execution_order": [{"compile_id": id_} for id_ in ids]})
    return f'artifact:graph_execution {{"encoding": "json"}}\n | {order}\n'


def test_a_rank_that_stops_early_ran_another_order(bundle_of):
    """tlparse calls it consistent."""
    both = [compile_of("f", "0/0"), compile_of("g", "1/0", "h")]
    usual = text_of(*both, ran("0/0", "1/0", "0/0"))
    bundle = bundle_of({0: usual, 1: text_of(*both, ran("0/0", "1/0")), 2: usual})
    (found,) = bundle.rank_table("rank_findings")
    assert (found["kind"], found["ranks"]) == ("execution-order", [[1, 1]])
    assert found["details"] | {"position": 2, "here": None, "others": "0/0"} == found["details"]


def test_a_graph_with_collectives_against_one_without_is_a_mismatch(bundle_of):
    f = compile_of("f", "0/0", more=schedule(REDUCE, WAIT) + code(REDUCE, WAIT))
    g = compile_of("g", "1/0", "h", more=code(id_="1/0"))
    bundle = bundle_of({0: text_of(f, g, ran("0/0")), 1: text_of(f, g, ran("1/0"))})
    rows = bundle.rank_table("rank_execution_mismatches")
    assert {(row["position"], row["kind"]) for row in rows} == {(0, "schedule")}
    assert [(row["ranks"], row["value"]) for row in rows] == [([[0, 0]], f"{REDUCE}, {WAIT}"), ([[1, 1]], "")]


def test_missing_and_silent_ranks_and_cut_logs(bundle_of):
    usual = text_of(compile_of("f", "0/0"))
    cut = log(usual) + b'V0401 12:00:09.000000 7 torch/a.py:1] {"dynamo_start": {"st'
    bundle = bundle_of({0: usual, 1: usual, 3: "r @3", 4: cut})
    problems = [(row["kind"], ranks_in(row["ranks"])) for row in bundle.rank_table("rank_problems")]
    assert problems == [("missing", [2]), ("cut", [4]), ("silent", [3])]
    assert {kind for kind, _, _ in kinds(bundle)} == {"missing-rank", "cut-log", "never-began"}


def test_a_log_may_claim_any_rank(bundle_of):
    """Missing ranks are listed as ranges, because there may be more than fit into memory."""
    far = 2**52
    usual = text_of(compile_of("f", "0/0"))
    bundle = bundle_of(
        {0: usual, 2: usual, far: f"r @{far}\n{usual}"}
    )  # a name with so many digits is not that of a rank
    (problem,) = bundle.rank_table("rank_problems")
    assert (problem["kind"], problem["ranks"]) == ("missing", [[1, 1], [3, far - 1]])
    (statement,) = bundle.rank_table("rank_findings")
    assert (statement["kind"], statement["others"]) == ("missing-rank", [[0, 0], [2, 2], [far, far]])
    assert bundle.job["agreeing"] == [[0, 0], [2, 2], [far, far]]


def test_a_compile_that_did_not_end(bundle_of):
    usual = text_of(compile_of("f", "0/0"), compile_of("g", "1/0", "h"))
    killed = text_of(
        compile_of("f", "0/0"), 'dynamo_start 1/0 {"stack": [{"line": 1, "name": "g", "filename": 0}]}\n'
    )
    bundle = bundle_of({0: usual, 1: killed, 2: usual})
    assert kinds(bundle) == [("unfinished-compile", [1], "1/0")]


def test_of_several_logs_of_a_rank_the_one_with_most_compiles_is_compared(tmp_path):
    texts = {
        "rank_0_a": "r @0",
        "rank_0_b": text_of(compile_of("f", "0/0")),
        "rank_1": text_of(compile_of("f", "0/0")),
    }
    for name, text in texts.items():
        (tmp_path / f"dedicated_log_torch_trace_{name}.log").write_bytes(log(text))
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    assert [row["log"] for row in bundle.rank_table("ranks")] == ["rank_0_b", "rank_1"]
    problems = [(problem["kind"], problem["logs"]) for problem in bundle.rank_table("rank_problems")]
    assert problems == [("other_logs", ["rank_0_a"]), ("equal_logs", ["rank_0_b", "rank_1"])]
    assert kinds(bundle) == [("equal-logs", [0, 1], None), ("other-run", [0], None)]


def test_events_on_some_ranks_only(bundle_of):
    broken = (
        "artifact:dynamo_graph_break_reason 0/0\n | Graph break in user code at a.py:4\n | Graph Break"
        " Reason: a print\n"
    )
    bundle = bundle_of(
        {
            0: text_of(compile_of("f", "0/0")),
            1: text_of(compile_of("f", "0/0", more=broken)),
            2: text_of(compile_of("f", "0/0")),
        }
    )
    (row,) = bundle.rank_table("rank_occurrences")
    assert (row["kind"], row["ranks"], row["others"], row["text"], row["line"]) == (
        "graph_break",
        [[1, 1]],
        [[0, 0], [2, 2]],
        "a print",
        4,
    )


def test_time_lost_waiting(bundle_of):
    def rank(start, length):
        metrics = json.dumps(
            {
                "co_name": "f",
                "co_filename": "a.py",
                "co_firstlineno": 1,
                "start_time_us": start,
                "dynamo_cumulative_compile_time_us": length,
            }
        )
        return (
            'str ["a.py", 0]\ndynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename":'
            f" 0}}]}}\ncompilation_metrics 0/0 {metrics}\n"
        )

    second = 1_000_000
    bundle = bundle_of(
        {0: rank(100 * second, second), 1: rank(101 * second, 9 * second), 2: rank(100 * second, second)}
    )
    (skew,) = bundle.rank_table("rank_skew")
    assert (bundle.job["lost_us"], skew["slowest_rank"], skew["wait_us"]) == (8 * second, 1, 9 * second)
    assert [row["late_us"] for row in bundle.rank_table("ranks")] == [0, second, 0]
    times = bundle.rank_table("rank_times")
    assert [row["first_start_epoch_us"] for row in times] == [100 * second, 101 * second, 100 * second] and [
        row["start_offset_us"] for row in times
    ] == [[0]] * 3
    assert [row["length_us"] for row in times] == [[second], [9 * second], [second]]
    (found,) = bundle.rank_table("rank_findings")
    assert (found["kind"], found["ranks"], found["details"]["lost_us"]) == ("straggler", [[1, 1]], 8 * second)


def test_a_log_that_ends_before_what_the_others_compiled(bundle_of):
    both = compile_of("f", "0/0"), compile_of("g", "1/0", "h")
    bundle = bundle_of({0: text_of(*both), 1: text_of(both[0]), 2: text_of(*both)})
    assert kinds(bundle) == [("never-began", [1], None)]
    assert [row["rank_compile"] for row in bundle.rank_table("rank_problems")] == [1]


def test_a_finding_names_the_only_rank_that_lacks_something(bundle_of):
    broken = (
        "artifact:dynamo_graph_break_reason 0/0\n | Graph break in user code at a.py:4\n | Graph Break"
        " Reason: a print\n"
    )
    most, one = text_of(compile_of("f", "0/0", more=broken)), text_of(compile_of("f", "0/0"))
    bundle = bundle_of({0: most, 1: one, 2: most})
    (found,) = bundle.rank_table("rank_findings")
    assert (found["kind"], found["ranks"], found["details"]["lacking"]) == ("graph-break", [[1, 1]], True)


def test_ranks_with_their_own_constants_are_one_finding(bundle_of):
    ranks = {
        rank: text_of(compile_of("f", "0/0", f"graph {max(rank, 3)}"), compile_of("g", "1/0", "h"))
        for rank in range(20)
    }
    bundle = bundle_of(ranks)
    assert [row["rank_compile"] for row in bundle.rank_table("rank_graphs")] == [0] * 17 + [1]
    (found,) = bundle.rank_table("rank_findings")
    assert (found["kind"], found["ranks"], found["others"]) == ("graph", [[4, 19]], [[0, 3]])
    assert found["details"]["group_count"] == 16 and found["details"]["line"]["here"] == "graph 4"


def test_a_cache_hit_belongs_to_the_rank_with_the_same_graph(bundle_of):
    def rank(graph, *artifacts):
        return text_of(
            compile_of(
                "f", "0/0", graph, more="".join(f"{name} 0/0\n | {text}\n" for name, text in artifacts)
            )
        )

    code = "inductor_output_code", "code"
    bundle = bundle_of(
        {
            0: rank("a", ("aot_joint_graph", "joint"), code),
            1: rank("b", ("aot_joint_graph", "other"), ("inductor_output_code", "other")),
            2: rank("a", code),
            3: rank("b"),
            4: rank("a", ("aot_joint_graph", "joint")),
        }
    )
    groups = bundle.rank_table("rank_graphs")
    assert [row["ranks"] for row in groups] == [[[0, 0], [2, 2], [4, 4]], [[1, 1], [3, 3]]]
    assert groups[1]["first_stage"] == "dynamo"
