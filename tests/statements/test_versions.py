"""Logs of other torch versions: missing or different records, and the findings about them."""

import json

import pytest
from log_builder import record


@pytest.fixture
def log(built, root):
    return lambda name: built(root / "fixtures" / "versions" / f"{name}.log.zst").logs[0]


def test_a_stack_that_ends_at_the_caller_names_no_function(log):
    """2.3 and 2.4: the innermost function of the stack is the caller of the compiled function."""
    killed = log("2.4.1/killed")
    assert [
        (compile.key, compile.row["function"], compile.row["file"])
        for compile in killed.compiles
        if compile.status == "unfinished"
    ] == [("1/0", None, None)]
    assert killed.summary["text"].startswith("2 functions, 2 compiles, 12.7 ms. 1 compile did not end.")
    assert [row["title"] for row in killed.findings()] == ["Compile 1/0 did not end: the log ends inside it"]
    assert [
        compile.row["function"] for compile in log("2.6.0/killed").compiles if compile.status == "unfinished"
    ] == ["died"]


def test_the_time_of_a_failure_is_what_was_spent_in_vain(log):
    """2.4 has no timeline, and no compile time in the metrics of a failed compile."""
    times = {
        compile.row["function"]: compile.row["total_us"]
        for compile in log("2.4.1/fail").compiles
        if compile.status == "failed"
    }
    assert times == {"a": 32_751, "b": 3_790, "d": 2_186, "e": 19_413, "low": 150_700, "s": 4_193}
    assert log("2.4.1/fail").summary["compile_us"] == sum(times.values()) + 11_171 + 5_094 + 5_227
    assert all(
        compile.row["total_us"] for compile in log("2.4.1/breaks").compiles if compile.status == "empty"
    )


@pytest.mark.parametrize("version", ["2.4.1", "2.6.0", "2.15.0"])
def test_an_exception_has_its_own_name(log, version):
    types = {
        compile.row["failure_type"]
        for compile in log(f"{version}/fail").compiles
        if compile.row["failure_type"]
    }
    assert {"BackendCompilerFailed", "Unsupported"} <= types and not [
        name for name in types if not name.isidentifier()
    ]
    assert not [
        row["type"] for row in log(f"{version}/fail").table("failures") if row["type"] and "<" in row["type"]
    ]


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("2.4.1/fail", None),
        ("2.6.0/fail", "2.6.0+cu124"),
        ("2.8.0/fail", "2.8.0+cu128"),
        ("2.15.0/fail", "2.15.0+cu132"),
    ],
)
def test_the_version_of_torch(log, name, version):
    """Before 2.10 in repro scripts; 2.4 writes none."""
    assert log(name).row["torch_version"] == version


def test_a_recompile_limit_is_not_a_backward(log):
    """2.6 logs the limit as metrics of a failed backward compile."""
    limit = [compile for compile in log("2.6.0/recompiles").compiles if compile.row["function"] == "limit"]
    assert [(compile.key, compile.row["backward_us"]) for compile in limit] == [
        ("8/0", None),
        ("8/1", None),
        ("8/2", None),
    ]
    assert [(row["compile"], row["function"]) for row in log("2.6.0/recompiles").table("limits")] == [
        ("8/3", "limit")
    ]
    (finding,) = [row for row in log("2.6.0/recompiles").findings() if row["kind"] == "recompile-limit"]
    assert "`limit`" in finding["title"]


def test_kernels_of_other_graphs_are_left_out(log):
    """2.8 keeps one map of kernels for all graphs, so equal names of nodes tie kernels of one graph to lines
    of the next.
    """
    found = log("2.8.0/prov")
    groups = found.table("provenance_groups")
    names = [
        [kernel["name"] for kernel in found.table("provenance_kernels") if kernel["group"] == group["id"]]
        for group in groups
    ]
    assert [len(kernels) for kernels in names] == [3, 4, 1]
    for group, kernels in zip(groups, names, strict=True):
        (code,) = [artifact.text() for artifact in found.artifacts if artifact.event == group["code_event"]]
        assert [name for name in kernels if name not in code] == []
    assert not {name for name in names[0] if name.startswith("cpp_")} & set(names[1])


@pytest.mark.parametrize(("name", "artifact", "language"), [
    ("2.15.0/train", "aot_autograd_runtime_wrappers", "python"),
    ("2.8.0/prov", "inductor_generated_kernel_to_post_grad_nodes", "json"),
])  # fmt: skip
def test_artifacts_of_every_version_are_known(log, name, artifact, language):
    kinds = log(name).directory["kinds"]
    (descriptor,) = {kind["descriptor"] for kind in kinds if kind["name"] == artifact}
    assert log(name).bundle.manifest["descriptors"][descriptor]["language"] == language


def test_the_wrappers_of_2_15_are_code(log):
    """One artifact in place of the wrappers' artifacts, which 2.13 writes one by one."""
    codes = [
        code
        for code in log("2.15.0/train").table("sources")
        if code["name"] == "aot_autograd_runtime_wrappers"
    ]
    assert len(codes) == 2 and all(code["functions"] for code in codes)


def test_a_second_partial_record_changes_nothing(built, tmp_path):
    """2.7 writes two compilation_metrics for one compile of AOTInductor, the second without a name."""
    whole = {
        "co_name": "f",
        "co_filename": "a.py",
        "co_firstlineno": 3,
        "graph_op_count": 4,
        "start_time_us": 1_700_000_000_000_000,
        "dynamo_cumulative_compile_time_us": 5_000,
    }
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(
        b"".join(
            record("compilation_metrics 0/0 " + json.dumps(metrics))
            for metrics in (
                whole,
                {"start_time_us": 1_700_000_000_009_000, "inductor_cumulative_compile_time_us": 7},
            )
        )
    )
    (compile,) = built(path).logs[0].compiles
    assert (
        compile.status,
        compile.row["function"],
        compile.row["graph_op_count"],
        compile.row["total_us"],
    ) == ("ok", "f", 4, 5_000)


@pytest.mark.parametrize("version", ["2.6.0", "2.8.0", "2.15.0"])
def test_a_skipped_frame_is_reported(log, version):
    """Before 2.11 the text of the break does not mention it.

    The break in a loop is the one; a function that calls one with a break continues in parts.
    """
    breaks = log(f"{version}/breaks")
    skipped = {row["function"] for row in breaks.table("graph_breaks") if row["skipped_frame_count"]}
    assert skipped == {"f_loop"}
    found = {row["id"]: row for row in breaks.findings()}
    (finding,) = [row for row in found.values() if row["details"].get("reason") == "skipped"]
    assert finding["title"] == "`f_loop` runs eager: Dynamo skips it after the graph break"
    assert "`f_loop`" in found[finding["because_of"]]["title"]


@pytest.mark.parametrize(("name", "text"), [
    ("breaks", "17 code objects, 17 compiles. 15 compiles succeeded."),
    ("recompiles", "9 code objects, 18 compiles. 18 compiles succeeded."),
    ("fail", "9 code objects, 9 compiles. 4 compiles succeeded."),
    ("killed", "2 code objects, 2 compiles. 1 compile did not end. 1 compile succeeded."),
])  # fmt: skip
def test_a_torch_without_metrics(log, name, text):
    """2.3 writes no metrics, times or failures, and stacks end at the caller.

    Guards show that a compile ended well; only the last one can be open.
    """
    found = log(f"2.3.1/{name}")
    assert found.summary["text"] == text + " Not recorded: failures, graph breaks and 3 more."
    assert [
        found.summary[key] for key in ("failure_count", "graph_break_count", "recompile_count", "compile_us")
    ] == [None] * 4
    assert [row["title"] for row in found.findings()] == (
        ["Compile 1/0 did not end: the log ends inside it"] if name == "killed" else []
    )
    assert {compile.row["function"] for compile in found.compiles} == {None}
    guarded = {event.compile for event in found.events(type="dynamo_guards")}
    assert (
        guarded
        and {compile.key for compile in found.compiles if compile.status in ("ok", "empty")} >= guarded
    )


def test_breaks_that_are_not_recorded(log):
    """2.3 to 2.5 write none; this is reported, with the traces of most of them."""
    for version, end in (("2.4.1", " and recompile reasons."), ("2.5.1", ".")):
        summary = log(f"{version}/breaks").summary
        assert summary["graph_break_count"] is None and "graph_breaks" in summary["not_recorded"]
        assert summary["text"].endswith(" Not recorded: graph breaks (at least 7 places)" + end)
        assert summary["restart_count"] == 6
    assert log("2.6.0/breaks").summary["not_recorded"] == []


def test_why_2_5_recompiles(log):
    """It writes reasons, but no graph breaks; for the recompile limit only the failed guard."""
    recompiles = log("2.5.1/recompiles")
    assert recompiles.summary["text"].startswith(
        "8 functions, 19 compiles, 5.91 s. 2 restarts, 10 recompiles, 1 function hit the limit."
        " Not recorded: graph breaks."
    )
    (limit,) = [row for row in recompiles.findings() if row["kind"] == "recompile-limit"]
    assert limit["function"] == "limit"
    assert recompiles.summary["not_recorded"] == ["graph_breaks", "symbols"]


def test_the_year_of_2_4(log):
    """It has no timeline; metrics have the start of a compile."""
    found = log("2.4.1/breaks")
    assert found.directory["clock"] == {
        "origin": "11-22 19:20:25.850000",
        "origin_epoch_us": 1795375225850000,
        "year": 2026,
        "utc_offset_minutes": 0,
    }
    assert found.row["diagnostics"] == {"clock-inferred": 1}
    assert log("2.3.1/breaks").directory["clock"]["year"] is None


def test_an_empty_list_of_guards_is_ignored(log):
    """2.4 writes one beside each tree."""
    trees = log("2.4.1/breaks").table("guard_trees")
    assert {row["form"] for row in trees} == {"tree"} and min(row["guard_count"] for row in trees) > 0
    assert len({(row["compile"], row["attempt"]) for row in trees}) == len(trees)
    assert {row["form"] for row in log("2.3.1/breaks").table("guard_trees")} == {"list"}


def test_a_log_too_short_to_show_its_version_is_not_called_old(built, tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(record('dynamo_start 0/0 {"stack": []}'))
    assert built(path).logs[0].summary["not_recorded"] == []
