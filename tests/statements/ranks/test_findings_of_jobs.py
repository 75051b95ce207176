"""Findings about real jobs (fixtures/jobs), and statements that must not appear."""

import re
import shutil

import pytest
import zstandard
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.pipeline.merge import merge
from tlparse_bundle.statements.ranks.rank_finding import KINDS
from tlparse_bundle.statements.ranks.registry import REFERENCE, TEMPLATES
from tlparse_bundle.statements.ranks.runs import Run, RunOfLog, runs_of, to_compare

GATHER = "`all_gather_into_tensor` of f32 (64, 8) in group `0`"
SUM = "`all_reduce` (sum) of f32 (16, 8) in group `0`"
AGREES = "The order of collectives agrees on all ranks."
FAULTS = r"hang|fail|wait|never|finish|still compiling|cannot|wrong|missing|[Nn]o log"

# scenario: (headline, kind and severity of the first finding, texts that must appear, texts that must not)
SAID = {
    "extra_then_hang": (
        (
            "In `exchange` [2/0], rank 2 calls `all_reduce`, ranks 0, 1 and 3 call "
            "`all_gather_into_tensor`. Ranks 0, 1 and 3 agree."
        ),
        ("collective-mismatch", "error"),
        [
            "Mismatched collectives: the ranks will hang or fail here.",
            (
                "is `all_reduce` (sum) of f32 (16, 8) on rank 2 and `all_gather_into_tensor` of f32 (64, 8)"
                " on ranks 0, 1 and 3."
            ),
            "Only rank 2 compiled `warmup` [0/0]\nLater compile ids are shifted.",
        ],
        r"embed|agrees|missing|Ranks 0, 1 and 3 (hang|fail)",
    ),
    "other_reduce_op": (
        (
            "In `reduce` [1/0], rank 3 calls `all_reduce` (max), ranks 0–2 call `all_reduce` (sum). "
            "Ranks 0–2 agree."
        ),
        ("collective-mismatch", "error"),
        [
            "The ranks continue, but their results are wrong or unequal.",
            "`all_reduce` (max) of f32 (16, 8) on rank 3 and `all_reduce` (sum) of f32 (16, 8) on ranks 0–2.",
            "Called at `train.py:35`: `return collectives.all_reduce(x @ weight, op, group)`.",
        ],
        r"hang|cannot|never|agrees|still compiling|fewer",
    ),
    "other_group": (
        (
            "In `reduce` [1/0], rank 1 calls `all_reduce` in group `2`, ranks 0, 2 and 3 in group "
            "`1`. Ranks 0, 2 and 3 agree."
        ),
        ("group-differs", "warning"),
        ["No other rank makes this call in group `2`"],
        r"agrees|never started|still compiling|finish",
    ),
    "other_shape": (
        (
            "In `reduce` [1/0], rank 2 calls `all_reduce` of (17, 8), ranks 0, 1 and 3 of (16, 8). "
            "Ranks 0, 1 and 3 agree."
        ),
        ("collective-mismatch", "error"),
        [
            "input `x` of `reduce` [1/0] is float32 (17, 8) instead of float32 (16, 8)",
            "is `all_reduce` (sum) of f32 (17, 8) on rank 2 and `all_reduce` (sum) of f32 (16, 8) on ranks",
        ],
        r"fewer|more `all_reduce`|embed` \[0/0\].*different|agrees",
    ),
    "pipeline": (
        ("Ranks 0 to 3 (2 roles × 2) agree on what was compiled (2 compiles)."),
        ("stages", "info"),
        [],
        FAULTS + "|fewer|different collectives",
    ),
    "pipeline_broken": (
        (
            "Rank 2 calls `all_reduce` in `head_stage` [0/0], but rank 3 has no matching call. Ranks "
            "0–2 agree."
        ),
        ("collective-waits", "error"),
        [
            "1 fewer `all_reduce`",
            "`all_reduce` (sum) of f32 (32, 8) in group `2` is call",
            "The ranks have 2 roles with different code, like pipeline stages",
            "Ranks 0 and 1; ranks 2 and 3.",
        ],
        r"embed_stage|agrees|ranks? 0.*(hang|wait)",
    ),
    "absent_caller": (
        (
            "Rank 2 never started `sync` [1/0]; others need it for `all_reduce`. Ranks 0, 1 and 3 "
            "agree. World size is not recorded."
        ),
        ("never-began", "error"),
        [f"Ranks 0, 1 and 3 finished it. Ranks 0, 1 and 3 wait for rank 2 in {SUM}"],
        r"still compiling|failed|agrees|Ranks 0, 1 and 3 (never|are)",
    ),
    "inside_compile": (
        ("Rank 2 is still compiling `sync` [1/0] when its log ends (after 1.39 s). Ranks 0, 1 and 3 agree."),
        ("unfinished-compile", "error"),
        [f"Ranks 0, 1 and 3 finished it and wait for rank 2 in {SUM}."],
        r"never started|agrees on|failed",
    ),
    "all_unfinished": (
        (
            "All 4 ranks are still compiling `block` [1/0] when the logs end (after 1.35 s). World "
            "size is not recorded."
        ),
        ("unfinished-compile", "error"),
        [],
        r"rank \d|before the others|collective|never|agree\b",
    ),
    "one_short": (
        (
            "Rank 3 never started `step` [0/3], which ranks 0–2 finished. Ranks 0–2 agree. World size is "
            "not recorded."
        ),
        ("never-began", "info"),
        ["no rank is known to wait"],
        r"cannot continue|failed|still compiling|need it|wait for rank",
    ),
    "one_short_waited": (
        ("Rank 3 never started `step_with_total` [0/3]; others need it for `all_reduce`. Ranks 0–2 agree."),
        ("never-began", "error"),
        ["Ranks 0–2 wait for rank 3 in"],
        r"failed|still compiling|agrees|\[0/[012]\]",
    ),
    "restart": (
        (
            "Ranks 0 to 3 agree on what was compiled (3 compiles). 4 logs of an earlier attempt are not compared."
        ),
        ("other-run", "info"),
        ["`--run 1`"],
        FAULTS + "|8 ranks",
    ),
    "two_jobs": (
        ("Ranks 0 to 3 agree on what was compiled (3 compiles). 2 logs of a different run are not compared."),
        ("other-run", "info"),
        ["Ranks 0 and 1 of 2", "`--run 2`"],
        FAULTS + "|attempt|score|older",
    ),
    "last_missing": (
        ("No log from rank 3. 3 of 4 ranks have logs; ranks 0–2 agree."),
        ("missing-rank", "error"),
        ["Collective calls or estimates in the logs report world size 4."],
        r"hang|fail|never|agrees on all",
    ),
    "last_missing_unknown": (
        ("Ranks 0 to 2 agree on what was compiled (2 compiles). World size is not recorded."),
        None,
        [],
        FAULTS + "|3 ranks|collective",
    ),
    "all_failed": (
        (
            "All 4 ranks failed to compile `loss` [1/0]: `BackendCompilerFailed: backend='backend' raised: "
            "TypeError: scale_loss() missing 1 required keyword-only argument: 'by'`. World size is not "
            "recorded."
        ),
        ("failed-everywhere", "error"),
        [],
        r"agree\b|rank \d|wait|hang",
    ),
    "two_versions": (
        ("Rank 3 ran torch 2.12.0+cu130, but ranks 0–2 ran torch 2.13.0+cu130. Ranks 0–2 agree."),
        ("mixed-versions", "warning"),
        [],
        r"failed|hang|different collectives",
    ),
    "equal_logs": (
        ("The logs of ranks 0 and 1 are identical. Rank 2 has no finding. World size is not recorded."),
        ("equal-logs", "warning"),
        ["Records in the log of rank 1 have a different rank than its file name"],
        r"agree|hang|fail",
    ),
    "healthy8": (
        (
            "All 8 ranks agree on what was compiled (2 compiles). The order of collectives agrees on all ranks."
        ),
        None,
        [],
        FAULTS,
    ),
    "backend_fails_one": (
        (
            "Rank 1 failed to compile `block` [1/0]: `BackendCompilerFailed: backend='backend' raised: "
            "RuntimeError: broken backend`. Ranks 0, 2 and 3 agree. World size is not recorded."
        ),
        ("failure", "error"),
        [
            "Rank 1 never started `reduce` [2/0]; others need it for `all_reduce`\nRanks 0, 2 and 3 finished it."
        ],
        r"still compiling|agrees",
    ),
    "late": (
        (
            "Rank 2 started compiling 14.9 s after the others. Ranks 0–3 agree. The order of "
            "collectives agrees on all ranks."
        ),
        ("late-start", "info"),
        [],
        r"hang|fail|never|took",
    ),
    "cached_before": (
        (
            "Ranks 0–2 loaded from caches what rank 3 had to compile. Ranks 0–3 agree. The order of "
            "collectives agrees on all ranks."
        ),
        ("cached-before", "info"),
        ["aot_autograd miss"],
        r"hang|fail|never|different graph|different collectives",
    ),
    "one_skips": (
        "Rank 3 did not compile `step` [1/0], but ranks 0–2 did. Ranks 0–2 agree. World size is not recorded.",
        ("missing-compile", "warning"),
        ["Later compile ids are shifted."],
        r"hang|fail|never|different graph|`head`",
    ),
    "swapped": (
        "Rank 1 compiled `block` [1/0] in a different order. Ranks 0, 2 and 3 agree. World size is not recorded.",
        ("compile-order", "warning"),
        ["Later compile ids are shifted."],
        r"hang|fail|never|different graph|did not",
    ),
    "other_recompile": (
        (
            "Rank 2 recompiled `scaled` [0/1]: `train == False`. Ranks 0, 1 and 3 agree. World size is not "
            "recorded."
        ),
        ("recompile", "warning"),
        ["Guard only on rank 2, in `scaled` [0/1]: `TRUE_MATCH: L['train']`"],
        r"hang|fail|never|different graph|did not",
    ),
    "no_wait": (
        "On rank 1, `total` [0/0] does not wait for 1 collective. Ranks 0, 2 and 3 agree.",
        ("missing-wait", "warning"),
        ["At position 1, nothing instead of `wait_tensor`."],
        r"failed|never|rank 1 lacks|fewer",
    ),
    "cut_log": (
        (
            "The log of rank 3 ends mid-record, 8.13 s before the others'. Ranks 0–2 agree. World size is not "
            "recorded."
        ),
        ("cut-log", "error"),
        ["Nothing after the cut is compared."],
        r"failed|different graph",
    ),
    "empty_log": (
        "The log of rank 3 is empty. Ranks 0–2 agree. World size is not recorded.",
        ("empty-log", "error"),
        ["Rank 3 compiled nothing, but ranks 0–2 did"],
        r"failed|different graph|3 ranks",
    ),
    "in_branch": (
        "On ranks 0–3, `total_twice_if` [0/0] schedules 1 × `all_reduce`, but its code calls 2.",
        ("collective-parity", "warning"),
        [],
        r"hang|fail|never|different graph|missing",
    ),
    "other_dynamic_size": (
        "On rank 3, `embed` [0/0] computes different tensors, starting at `extern_kernels.mm`. Ranks 0–2 agree.",
        ("tensors", "warning"),
        ["It returns `float32 (17, 8), stride (8, 1)` instead of `float32 (16, 8), stride (8, 1)`."],
        r"hang|fail|never|different graph|different code|missing",
    ),
}


@pytest.fixture(scope="module")
def job(root, tmp_path_factory):
    """Return job(name): the sound bundle of a scenario."""
    made = {}

    def build_it(name):
        if name not in made:
            out = tmp_path_factory.mktemp("job") / "out"
            build(discover([root / "fixtures" / "jobs" / name]), out, jobs=1)
            made[name] = Bundle.open(out)
            assert validate(made[name]) == []
        return made[name]

    return build_it


def everything(bundle):
    """Return all sentences."""
    return "\n".join(
        [
            bundle.job["text"],
            *(text for row in bundle.rank_table("rank_findings") for text in (row["title"], row["text"])),
        ]
    )


def test_every_scenario_is_here(root):
    assert set(SAID) == {path.name for path in (root / "fixtures" / "jobs").iterdir() if path.is_dir()}


@pytest.mark.parametrize("name", SAID)
def test_findings_of_a_job(name, job):
    headline, first, must, must_not = SAID[name]
    bundle = job(name)
    assert bundle.job["text"] == headline
    rows = bundle.rank_table("rank_findings")
    assert (rows[0]["kind"], rows[0]["severity"]) == first if first else rows == []
    assert not rows or (
        rows[0]["because_of"] is None and (rows[0]["title"] in headline or "roles" in headline)
    )
    said = everything(bundle)
    for text in must:
        assert text in said
    assert not re.search(must_not, said), re.search(must_not, said)


def test_every_kind_has_a_sentence():
    assert sorted(KINDS) == sorted(TEMPLATES)


def test_every_kind_has_a_reference():
    assert sorted(KINDS) == sorted(REFERENCE)
    assert all(text.endswith((".", "`.")) for entry in REFERENCE.values() for text in entry[1:])


@pytest.mark.parametrize("part", [0.35, 0.6, 0.8, 0.97])
def test_records_after_a_cut_are_not_a_difference(root, tmp_path, part):
    """A log that ends anywhere within a payload or an envelope."""
    for path in (root / "fixtures" / "jobs" / "healthy8").iterdir():
        shutil.copy(path, tmp_path)
    (path,) = tmp_path.glob("*_rank_3_*")
    data = zstandard.decompress(path.read_bytes())
    end = data.index(b"\n\t", int(len(data) * part)) + 5  # within a line of a payload
    path.with_suffix("").write_bytes(data[:end])
    path.unlink()
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    bundle = Bundle.open(tmp_path / "out")
    rows = bundle.rank_table("rank_findings")
    kinds = {row["kind"] for row in rows}
    assert "cut-log" in kinds and kinds <= {
        "cut-log",
        "unfinished-compile",
        "never-began",
        "collective-waits",
    }
    assert all(row["ranks"] == [[3, 3]] for row in rows)
    assert "agrees on all ranks" not in bundle.job["text"] or kinds == {"cut-log"}


def test_an_effect_is_below_its_cause(job):
    rows = job("extra_then_hang").rank_table("rank_findings")
    assert [(row["kind"], row["because_of"]) for row in rows] == [
        ("collective-mismatch", None),
        ("collectives", 0),
        ("graph", 0),
        ("extra-compile", None),
    ]
    rows = job("backend_fails_one").rank_table("rank_findings")
    assert [(row["kind"], row["because_of"]) for row in rows] == [("failure", None), ("never-began", 0)]


def test_the_same_problem_on_another_rank_has_the_same_fingerprint(root, tmp_path):
    """Ranks 1 and 2 of absent_caller swap places: names of files and ranks of records."""
    prints = []
    for name, swapped in (("as_is", {}), ("swapped", {1: 2, 2: 1})):
        folder = tmp_path / name
        folder.mkdir()
        for path in (root / "fixtures" / "jobs" / "absent_caller").iterdir():
            rank = int(path.name.split("_rank_")[1][0])
            wanted = swapped.get(rank, rank)
            data = zstandard.decompress(path.read_bytes()).replace(
                b'"rank": %d' % rank, b'"rank": %d' % wanted
            )
            (folder / f"dedicated_log_torch_trace_rank_{wanted}_x.log").write_bytes(data)
        build(discover([folder]), folder / "out", jobs=1)
        row, *_ = Bundle.open(folder / "out").rank_table("rank_findings")
        prints.append((row["kind"], row["fingerprint"], row["ranks"]))
    assert prints[0][:2] == prints[1][:2] and (prints[0][2], prints[1][2]) == ([[2, 2]], [[1, 1]])


def test_evidence_leads_to_the_compile(job):
    bundle = job("inside_compile")
    row, *_ = bundle.rank_table("rank_findings")
    compile = bundle.log(row["log"]).compile(row["compile"])
    assert (row["ranks"], compile.key, compile.row["function"], row["file"]) == (
        [[2, 2]],
        "1/0",
        "sync",
        "train.py",
    )


def test_another_run_can_be_chosen(root, tmp_path):
    logs = discover([root / "fixtures" / "jobs" / "restart"])
    build(logs, tmp_path / "first", run=1)
    bundle = Bundle.open(tmp_path / "first")
    assert (
        bundle.rank_table("rank_findings")[0]["title"]
        == "Rank 1 never started `block` [1/0], which ranks 0, 2 and 3 finished"
    )
    assert (bundle.job["run"], [run["attempt"] for run in bundle.job["runs"]]) == (1, [True, True])
    with pytest.raises(BundleError, match="run 3 with several ranks does not exist") as error:
        build(logs, tmp_path / "third", run=3)
    assert "Pass a number from 1 to 2 to --run." in error.value.hint and not (tmp_path / "third").exists()


def test_a_merged_bundle_has_the_same_findings(root, tmp_path):
    """Merging needs no log: neither graphs nor code of collectives."""
    logs = discover([root / "fixtures" / "jobs" / "extra_then_hang"])
    parts = []
    for number, some in enumerate((logs[:2], logs[2:])):
        parts.append(tmp_path / str(number))
        build(some, parts[-1], jobs=1)
    merge(parts, tmp_path / "merged")
    build(logs, tmp_path / "whole", jobs=1)
    merged, whole = Bundle.open(tmp_path / "merged"), Bundle.open(tmp_path / "whole")
    assert (
        merged.job == whole.job
        and merged.rank_table("rank_findings") == whole.rank_table("rank_findings") != []
    )


def test_a_log_without_a_rank_is_named(root, tmp_path):
    for path in sorted((root / "fixtures" / "jobs" / "healthy8").iterdir())[:2]:
        shutil.copy(path, tmp_path)
    shutil.copy(
        root
        / "fixtures"
        / "graph_breaks"
        / "trace"
        / next((root / "fixtures" / "graph_breaks" / "trace").iterdir()).name,
        tmp_path,
    )
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    rows = Bundle.open(tmp_path / "out").rank_table("rank_findings")
    assert [(row["kind"], row["title"]) for row in rows] == [
        ("missing-rank", "No log from ranks 2–7"),
        ("no-rank", "1 log without a rank is not compared"),
    ]


def test_clocks_that_differ_by_days_do_not_part_a_job():
    """There is a choice only where a rank occurs twice."""
    day = 86_400_000_000
    apart = [RunOfLog(str(rank), rank, None, None, rank * day, rank * day + 1) for rank in range(3)]
    assert [sorted(run.logs) for run in runs_of(apart)] == [[0, 1, 2]]
    again = RunOfLog("again", 1, None, None, 30 * day, 30 * day + 1)
    assert len(runs_of([*apart, again])) > 1


@pytest.mark.parametrize(
    ("ranks", "version", "number"),
    [(4, "2.13.0", 1), (3, "2.13.0", 1), (2, "2.13.0", 0), (3, "2.12.0", 0)],
)
def test_the_newest_attempt_is_compared(ranks, version, number):
    """An attempt with fewer ranks, but more than half of them, of the same torch."""
    runs = [
        Run({rank: RunOfLog(f"{rank}", rank, torch, 4, start, start + 1) for rank in range(count)})
        for count, torch, start in ((4, "2.13.0", 0), (ranks, version, 10**9))
    ]
    assert to_compare(runs) == number


def test_more_ranks_than_the_job_has_are_not_all_of_them(root, tmp_path):
    """Logs copied under other names, or of another job, beside those of a job of four."""
    traces = tmp_path / "traces"
    shutil.copytree(root / "fixtures" / "jobs" / "extra_then_hang", traces)
    (first,) = traces.glob("*rank_0*")
    for rank in range(4, 8):
        shutil.copy(first, traces / first.name.replace("rank_0", f"rank_{rank}"))
    build(discover([traces]), tmp_path / "out", jobs=1)
    text = Bundle.open(tmp_path / "out").job["text"]
    assert "8 logs, but the logs report world size 4." in text and "All" not in text, text
