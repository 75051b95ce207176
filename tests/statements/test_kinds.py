"""Every kind of finding: a real log with it, its schema, its evidence, and a log that must not have it."""

import re
from collections import Counter

import made_profile
import pytest
import traces
from jsonschema import Draft202012Validator
from sentence_lengths import MOST_HEADLINE, MOST_SENTENCES, MOST_TITLE, counted, sentence_count
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements import registry
from tlparse_bundle.statements.finding import ERROR, stage
from tlparse_bundle.statements.registry import kinds

SCHEMA = schema("findings")
DETAILS = SCHEMA["$defs"]["details"]["properties"]
VLLM_LOGS = sorted(traces.ROOT.glob("fixtures/vllm/llama*/*.log.zst"))
VERSION_LOGS = sorted(
    path for folder in ("versions/*", "cuda") for path in traces.ROOT.glob(f"fixtures/{folder}/*.log.zst")
)
DAMAGED = "damaged"  # the fixture failures, with one line turned into noise and its end cut off
WARM = "warm"  # a run with the cache of an earlier one, after a change
LAUNCH_BOUND = "launch_bound"  # a made trace of a device that waits for launches
IN_BRANCH = "in_branch"  # a job with a collective in a branch
OUTSIDE_COMPILES = {"cudagraph-rerecord", "native-compile"}  # kinds whose time is not that of compiling
# For every kind a log in which it appears, and one in which it must not.
WHERE = {
    "autotune": ("2.13.0/autotune", "basic_inference"),
    "cache-bypass": ("caches", "2.15.0/recompiles"),
    "cache-error": ("2.13.0/unpicklable", "caches"),
    "cache-miss": (WARM, "train_step"),
    "runs-eager": ("2.15.0/breaks", "recompiles"),
    "cudagraph-rerecord": ("cuda/cuda_graphs", "2.13.0/cudagraphs"),
    "cudagraph-skip": ("2.13.0/cudagraphs", "train_step"),
    "collective-parity": (IN_BRANCH, "ranks4"),
    "data-problem": (DAMAGED, "failures"),
    "break-time": ("profiler/breaks", "profiler/fallbacks"),
    "copy-time": ("profiler/fallbacks", "profiler/breaks"),
    "device-idle": (LAUNCH_BOUND, "profiler/breaks"),
    "hot-line": ("profiler/breaks", "profiler/same_names"),
    "lookup-time": (LAUNCH_BOUND, "profiler/same_names"),
    "export-attempt": ("2.13.0/onnx_export", "2.13.0/exports"),
    "export-assumption": ("2.15.0/export", "dynamic_shapes"),
    "export-failure": ("export_dtrace", "aoti"),
    "fallback": ("2.13.0/fallbacks", "basic_inference"),
    "failure": ("failures", "recompiles"),
    "graph-break": ("graph_breaks", "2.13.0/limit_raises"),
    "guard-cost": ("2.13.0/guards", "2.13.0/hints"),
    "memory-peak": ("2.13.0/large_activations", "train_step"),
    "native-compile": ("2.15.0/native_ops", "2.15.0/slow_worker"),
    "missing-wait": ("2.13.0/no_wait", "ranks4"),
    "recompile": ("recompiles", "graph_breaks"),
    "recompile-limit": ("2.13.0/limit_raises", "2.13.0/half"),
    "restart": ("2.4.1/breaks", "graph_breaks"),
    "saved-recomputable": ("2.13.0/large_activations", "memory_budget"),
    "slow-worker": ("2.15.0/slow_worker", "2.15.0/worker_dies"),
    "slow-span": ("aoti", "killed"),
    "specialization": ("dynamic_shapes", "2.13.0/ties"),
    "unlisted": ("2.13.0/many", "ranks4"),
    "unfinished-compile": ("2.13.0/hangs", "failures"),
    "vllm-capture": ("llama-fail", "llama-cold"),
    "vllm-piece-failed": ("llama-fail", "llama-jit-warm"),
    "vllm-reuse-failed": ("llama-cold", "llama-jit-warm"),
    "vllm-sizes": ("llama-cold", "llama-jit-warm"),
    "vllm-warm-compile": ("llama-jit-warm", "llama-jit-cold"),
}


@pytest.fixture(scope="module")
def logs(built, root, tmp_path_factory):
    """All real logs, by fixture or version; one of them damaged."""
    found = [
        (name, log) for name in traces.FIXTURES for log in built(root / "fixtures" / name / "trace").logs
    ]
    damaged = tmp_path_factory.mktemp("damaged") / "dedicated_log_torch_trace_damaged.log"
    head, _, rest = (
        next((root / "fixtures" / "failures" / "trace").glob("*.log")).read_bytes().partition(b"\nV")
    )
    damaged.write_bytes(head + b"\nnoise\nV" + rest[:-900])
    found += [(DAMAGED, log) for log in built(damaged).logs]
    found += [(IN_BRANCH, log) for log in built(root / "fixtures" / "jobs" / "in_branch").logs]
    found += [(WARM, log) for log in built(root / "fixtures" / "pairs" / "line_changed" / "new").logs]
    for name in ("breaks", "fallbacks", "same_names"):
        trace = root / "fixtures" / "profiler" / name / "trace"
        found += [(f"profiler/{name}", log) for log in built(trace).logs]
    made = made_profile.built_launch_bound(tmp_path_factory.mktemp("launch_bound"))
    found += [(LAUNCH_BOUND, log) for log in made.logs]
    found += [(path.parent.name, log) for path in VLLM_LOGS for log in built(path).logs]
    return found + [
        (f"{path.parent.name}/{path.name.split('.')[0]}", log)
        for path in VERSION_LOGS
        for log in built(path).logs
    ]


def findings(logs, *names, kind=None):
    return [
        row for name, log in logs if name in names for row in log.findings() if kind in (None, row["kind"])
    ]


def test_every_kind_has_a_schema():
    assert set(kinds()) == set(DETAILS)


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_appears_where_it_is_true_and_nowhere_else(logs, kind):
    yes, no = WHERE[kind]
    assert findings(logs, yes, kind=kind)
    assert no in {name for name, _ in logs} and findings(logs, no, kind=kind) == []


def test_details_follow_their_schema(logs):
    validators = {
        kind: Draft202012Validator({**about, "$defs": SCHEMA["$defs"]}) for kind, about in DETAILS.items()
    }
    for name, log in logs:
        for row in log.findings():
            assert [error.message for error in validators[row["kind"]].iter_errors(row["details"])] == [], (
                name,
                row["title"],
            )


def test_every_statement_refers_to_existing_rows(logs):
    for name, log in logs:
        compiles = {
            row["compile"] for table in ("compiles", "limits", "captures") for row in log.table(table)
        }
        spans = {row["id"] for row in log.table("spans")}
        for row in log.findings():
            assert row["compiles"] or row["events"] or row["spans"] or row["details"].get("lines"), (
                name,
                row["title"],
            )
            assert compiles.issuperset(row["compiles"]) and spans.issuperset(row["spans"])
            assert all(0 <= event < log.row["event_count"] for event in row["events"])
            assert row["count"] >= 1 and (row["cost_us"] is None) == (row["cost_of"] is None)
            assert "\n" not in row["title"] and row["title"].count("`") % 2 == 0, row["title"]


def test_most_important_first(logs):
    for _, log in logs:
        chains = []  # the orders of a finding and its consequences, which follow it
        for row in log.findings():
            at = stage(row["kind"], row["severity"], row["details"])
            is_unexplained = row["kind"] == "failure" and not row["details"]["message"]
            order = (at, is_unexplained, at == ERROR and row["cost_us"] is not None, -(row["cost_us"] or 0))
            if row["because_of"] is None:
                chains.append([order])
                root = row["id"]
            else:
                assert (row["because_of"], row["remedies"]) == (root, [])
                chains[-1].append(order)
        orders = list(map(min, chains))
        rest = (
            orders[1:] if orders and orders[0][0] == ERROR else orders
        )  # the first error may be the fatal one
        assert rest == sorted(rest)


def test_no_cost_is_more_than_the_time_of_compiling(logs):
    for name, log in logs:
        total = log.summary["compile_us"]
        for row in log.findings():
            if row["cost_us"] is not None and row["kind"] not in OUTSIDE_COMPILES:
                assert row["cost_us"] <= total * 1.01 + 1000, (name, row["title"])


def test_hints_of_torch_come_first(logs):
    for _, log in logs:
        for row in log.findings():
            sources = [remedy["source"] for remedy in row["remedies"]]
            assert sources == sorted(sources, key=lambda source: source != "torch")


def test_equal_problems_of_ranks_have_equal_fingerprints(logs):
    """Four processes in separate folders ran one program; times differ, problems don't."""
    breaks = [
        tuple(row["fingerprint"] for row in log.findings() if row["kind"] == "graph-break")
        for name, log in logs
        if name == "ranks_extra_break"
    ]
    assert Counter(map(len, breaks)) == {0: 3, 1: 1}
    for kind in ("cache-miss", "cache-bypass"):
        of_ranks = [
            frozenset(row["fingerprint"] for row in log.findings() if row["kind"] == kind)
            for name, log in logs
            if name == "ranks_healthy"
        ]
        assert len(set(of_ranks)) == 1


def test_two_runs_of_one_program_have_equal_fingerprints(logs):
    """The same programs with torch 2.8 and 2.15, on different days: breaks with one text, recompiles with one
    guard.
    """
    for program, kind in (
        ("recompiles", "recompile"),
        ("recompiles", "recompile-limit"),
        ("killed", "unfinished-compile"),
    ):
        one, other = (
            {row["fingerprint"] for row in findings(logs, f"{version}/{program}", kind=kind)}
            for version in ("2.8.0", "2.15.0")
        )
        assert one and one == other


def test_fingerprints_are_unique_in_a_log(logs):
    for name, log in logs:
        rows = log.findings()
        assert len({row["fingerprint"] for row in rows}) == len(rows), name


# Known behavior of the programs


def test_a_failed_compile_is_one_failure_with_its_line(logs):
    titles = [(row["title"], row["file"], row["line"]) for row in findings(logs, "failures", kind="failure")]
    assert (
        "`prints_in_fullgraph` failed to compile: Unsupported: Failed to trace builtin operator",
        "program.py",
        17,
    ) in titles
    assert (
        "`has_wrong_shapes` failed to compile: RuntimeError: a and b must have same reduction dim, but got [2, 3] X"
        " [2, 3].",
        "program.py",
        28,
    ) in titles
    assert len(titles) == 5


def test_failures_of_two_functions_name_both(logs):
    """Both have one message and no line: one cause. torch suppressed the second one."""
    for version in ("2.6.0", "2.8.0"):
        (row,) = (
            row
            for row in findings(logs, f"{version}/fail", kind="failure")
            if "exploded on purpose" in row["title"]
        )
        assert row["title"].startswith("2 compiles of 2 functions failed: ") and (
            row["function"],
            row["count"],
        ) == (None, 2)
        assert "`a` (" in row["text"] and "`s` (" in row["text"]
        (eager,) = findings(logs, f"{version}/fail", kind="runs-eager")
        assert eager["title"] == "`s` runs eager: `suppress_errors` hid the error"


def test_the_class_of_an_exception_is_its_name(logs):
    assert any(
        "BackendCompilerFailed: backend='bad_backend' raised: RuntimeError" in row["title"]
        for row in findings(logs, "2.4.1/fail", kind="failure")
    )
    assert not any("'>:" in row["title"] for row in findings(logs, "2.4.1/fail"))


def test_a_graph_break_is_not_also_a_failure(logs):
    """The program's 'raise ValueError' is a break after which the function runs eager, and a failure for
    torch 2.8 and later.
    """
    rows = findings(logs, "2.15.0/fail")
    row, eager = (row for row in rows if row["function"] == "d")
    assert (row["kind"], row["details"]["skipped_frame_count"]) == ("graph-break", 1)
    assert (eager["kind"], eager["because_of"]) == ("runs-eager", row["id"])


def test_breaks_with_one_reason_are_one_finding(logs):
    rows = findings(logs, "graph_breaks", kind="graph-break")
    assert [(row["count"], len(row["details"]["places"])) for row in rows] == [(4, 3), (1, 1), (1, 1)]
    assert sum(row["count"] for row in rows) == 6


def test_a_break_explains_its_restart(logs):
    assert (
        findings(logs, "graph_breaks", "compiled_autograd", "2.8.0/breaks", "2.15.0/breaks", kind="restart")
        == []
    )


def test_what_changed_between_the_compiles(logs):
    titles = {row["title"] for row in findings(logs, "recompiles", kind="recompile")}
    assert titles == {
        "`grows` recompiled once: `x.size(0)` changed from `4` to `5`",
        "`flagged` recompiled once: `flag` changed from `False` to `True`",
        "`any_dtype` recompiled twice: `x.dtype` had values such as `Float`, `Double` and `Int`",
        "`limited` recompiled 3 times: `x.size(0)` had values such as `2`, `3`, `4` and `5`",
    }


def test_a_refused_attempt_is_not_a_recompile(logs):
    """The program was compiled three times with another k, and refused once."""
    for version in ("2.6.0", "2.8.0", "2.15.0"):
        (limit,) = findings(logs, f"{version}/recompiles", kind="recompile-limit")
        (cause,) = (
            row
            for row in findings(logs, f"{version}/recompiles", kind="recompile")
            if row["function"] == "limit"
        )
        assert (
            cause["count"],
            limit["count"],
            limit["details"]["compile_count"],
            limit["details"]["raised"],
        ) == (2, 1, 3, False)
        assert findings(logs, f"{version}/recompiles")[limit["because_of"]] == cause
        assert findings(logs, f"{version}/recompiles", kind="failure") == []


def test_damage(logs):
    titles = {row["title"] for row in findings(logs, DAMAGED, kind="data-problem")}
    assert titles == {
        "The log is damaged: 1 line is not a TORCH_TRACE record",
        "The log is damaged: the last record was cut",
    }


def test_compiles_refused_by_the_limit(logs):
    """Sizes 2 to 5 were compiled, 6 was not."""
    (row,) = findings(logs, "recompiles", kind="recompile-limit")
    assert row["text"].endswith("actual 6` on `x.size(0)`.") and "; the failing guard was `" in row["text"]


def test_where_a_killed_process_was(logs):
    (row,) = findings(logs, "killed", kind="unfinished-compile")
    assert (
        row["title"] == "The compile of `never_finishes` did not end: open for 11.2 ms, in `backend_compile`"
    )
    assert [span["name"] for span in row["details"]["open_spans"]] == [
        "dynamo",
        "entire_frame_compile",
        "compile_attempt_0",
        "backend_compile",
    ]
    assert findings(logs, "precompile", "basic_inference", "failures", kind="unfinished-compile") == []


def test_an_interrupted_compile(logs):
    row, eager = findings(logs, "2.13.0/interrupted")
    assert eager["title"] == "`empty` runs eager: its first call, `[2/0]`, has no tensor operation"
    assert row["title"] == "The compile of `interrupted` was interrupted after Dynamo captured its graph"
    (summary,) = (log.summary for name, log in logs if name == "2.13.0/interrupted")
    assert summary["unfinished_count"] == 1 and summary["text"].endswith(". 1 compile did not end.")
    statuses = {
        compile.row["function"]: compile.status
        for name, log in logs
        if name == "2.13.0/interrupted"
        for compile in log.compiles
    }
    assert statuses["empty"] == "empty"


def test_assumptions_of_an_export(logs):
    titles = {row["title"] for row in findings(logs, "2.15.0/export", kind="export-assumption")}
    assert titles == {
        f"The export assumes that `{condition}` holds"
        for condition in ("Eq(s77, s17)", "Eq(s6, s27)", "Eq(s77, 8)")
    }
    texts = [log.summary["text"] for name, log in logs if name == "2.15.0/export"]
    assert texts == [
        "4 exports, 1.16 s. The outcome of 1 export is not recorded, 1 export failure, 3 export assumptions."
    ]
    assert findings(logs, "dynamic_shapes", "2.15.0/recompiles", kind="export-assumption") == []


def test_places_are_short(logs):
    for name, log in logs:
        for row in log.findings():
            assert row["file"] is None or not row["file"].startswith(
                ("/home/user/project", "/srv/versions")
            ), (name, row["file"])


def test_each_kind_has_a_reference():
    """Each kind has an entry of whole sentences, one to three in each part."""
    for module in registry.MODULES:
        assert set(module.REFERENCE) == set(module.KINDS)
        for entry in module.REFERENCE.values():
            assert 0 < len(entry.title) <= 40 and not entry.title.endswith(".")
            for part in entry[1:]:
                assert part.endswith(".") and 1 <= len(re.findall(r"[.!?](?= [A-Z`]|$)", part)) <= 3


# Their titles end, and their texts begin or continue, with a message of torch.
QUOTING = {
    "failure",
    "restart",
    "graph-break",
    "cache-bypass",
    "cache-error",
    "cudagraph-skip",
    "vllm-piece-failed",
}


def test_sentences_are_short(logs):
    """Only what torch wrote is longer."""
    for name, log in logs:
        assert counted(log.summary["text"]) <= MOST_HEADLINE, (name, log.summary["text"])
        for row in log.findings():
            quotes = row["kind"] in QUOTING or "mismatched" in str(row["details"])
            title = row["title"].partition(": ")[0] if quotes else row["title"]
            assert counted(title) <= MOST_TITLE, (name, title)
            assert quotes or sentence_count(row["text"]) <= MOST_SENTENCES, (name, row["text"])
            for remedy in row["remedies"]:
                assert remedy["source"] == "torch" or sentence_count(remedy["text"]) <= MOST_SENTENCES, remedy


def test_a_cost_that_a_fix_avoids_is_beside_the_fix(logs):
    costs = [row for _, log in logs for row in log.findings() if "its fix avoids" in (row["cost_of"] or "")]
    assert costs
    for row in costs:
        if row["because_of"] is not None:
            continue  # the fix is that of its cause
        assert any("would avoid" in remedy["text"] for remedy in row["remedies"]), row["title"]
