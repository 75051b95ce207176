"""Sentences about ranks, including cases without a fixture: number, unknown values, long lists."""

import pytest
from tlparse_bundle.statements.ranks.rank_finding import RankFinding
from tlparse_bundle.statements.ranks.registry import TEMPLATES
from tlparse_bundle.statements.ranks.wording import call_text, long_time, numbers, sentences

COMPILES = [{"function": "f", "compile": "0/0"}, {"function": None, "compile": "1/0"}]
ONE, SEVERAL = [[2, 2]], [[0, 1], [3, 5]]
CALL = {
    "op": "all_reduce",
    "reduce_op": "sum",
    "group": "1",
    "group_size": 4,
    "dtype": "f32",
    "shape": [16, "s0"],
    "root": None,
}


def sentences_of(kind, ranks, details=None, facts=None, **fields):
    finding = RankFinding(
        kind, "info", "", ranks=ranks, rank_compile=0, details=details or {}, facts=facts or {}, **fields
    )
    return sentences(finding, TEMPLATES, COMPILES)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([[2, 2]], "2"),
        ([[0, 1]], "0 and 1"),
        ([[0, 2], [7, 7]], "0–2 and 7"),
        ([[0, 2], [7, 7], [9, 10]], "0–2, 7, 9 and 10"),
        ([[0, 2], [7, 7], [9, 10], [20, 29]], "0–2, 7, 9 and 11 more"),
        ([[n, n] for n in range(0, 28, 2)], "0, 2, 4 and 11 more"),
    ],
)
def test_ranks_as_text(runs, text):
    assert numbers(runs) == text


def test_long_times():
    hour_us = 3_600_000_000
    assert long_time(2 * hour_us - 1_000_000) == "119 min 59 s"
    assert [long_time(hours * hour_us) for hours in (2, 47, 48, 60_000)] == [
        "2.0 h",
        "47.0 h",
        "2 days",
        "2,500 days",
    ]


def test_a_call_shows_recorded_values():
    assert call_text(CALL) == "`all_reduce` (sum) of f32 (16, s0) in group `1`"
    unknown = dict.fromkeys(CALL)
    assert call_text({**unknown, "op": "barrier"}) == "`barrier`"
    assert call_text({**unknown, "op": "barrier", "shape": []}) == "`barrier` of ()"
    assert call_text({**unknown, "op": "barrier", "dtype": "f32"}) == "`barrier` of f32"


@pytest.mark.parametrize(
    ("kind", "details", "facts", "one", "several"),
    [
        (
            "cut-log",
            {},
            {"earlier_us": 5_000_000},
            "The log of rank 2 ends mid-record, 5 s before the others'",
            "The logs of ranks 0, 1 and 3–5 end mid-record, 5 s before the others'",
        ),
        (
            "unfinished-compile",
            {
                "phase": None,
                "span": None,
                "open_us": None,
                "finished": [],
                "never_began": [[9, 9]],
                "call": None,
            },
            {"earlier_us": None, "everyone": False},
            "Rank 2 is still compiling `f` [0/0] when its log ends",
            "Ranks 0, 1 and 3–5 are still compiling `f` [0/0] when the logs end",
        ),
        (
            "guard",
            {"text": "TENSOR_MATCH: x", "lacking": True},
            {},
            "Missing guard on rank 2, in `f` [0/0]: `TENSOR_MATCH: x`",
            "Missing guard on ranks 0, 1 and 3–5, in `f` [0/0]: `TENSOR_MATCH: x`",
        ),
        (
            "missing-wait",
            {"missing_waits": 0},
            {},
            "On rank 2, `f` [0/0] does not wait for 1 collective",
            "On ranks 0, 1 and 3–5, `f` [0/0] does not wait for 1 collective",
        ),
        (
            "collective-parity",
            {"op": "all_reduce", "scheduled": 2, "in_code": 1},
            {},
            "On rank 2, `f` [0/0] schedules 2 × `all_reduce`, but its code calls 1",
            "On ranks 0, 1 and 3–5, `f` [0/0] schedules 2 × `all_reduce`, but its code calls 1",
        ),
    ],
)
def test_sentences_agree_in_number(kind, details, facts, one, several):
    assert [sentences_of(kind, ranks, details, facts)[0] for ranks in (ONE, SEVERAL)] == [
        one,
        several,
    ]


def test_an_unfinished_compile_names_the_ranks_that_finished_it():
    details = {
        "phase": None,
        "span": "dynamo",
        "open_us": 2_000_000,
        "finished": [[0, 1]],
        "never_began": [[9, 9]],
        "call": None,
    }
    title, text = sentences_of("unfinished-compile", ONE, details, {"earlier_us": None, "everyone": False})
    assert title == "Rank 2 is still compiling `f` [0/0] when its log ends (after 2 s)"
    assert text == (
        "Ranks 0 and 1 finished it, and rank 9 never started it. The open span is `dynamo`, and this compile has no"
        " artifact yet."
    )


def test_calls_that_only_differ_in_the_size_of_the_group_are_distinct():
    details = {
        "group": "1",
        "position": 0,
        "effect": "hang",
        "unmatched": None,
        "recorded": True,
        "here": CALL | {"group_size": 2},
        "others": CALL | {"group_size": 4},
        "others_rank_compile": 0,
    }
    title, _ = sentences_of("collective-mismatch", ONE, details, {"elsewhere": False}, others=SEVERAL)
    assert title == (
        "In `f` [0/0], rank 2 calls `all_reduce` in group `1` of size 2, ranks 0, 1 and 3–5 in group"
        " `1` of size 4"
    )


def test_a_wait_names_the_calls_that_the_log_has():
    details = {"position": 1, "call": CALL}
    title, text = sentences_of("collective-waits", ONE, details, others=SEVERAL)
    assert title == ("Ranks 0, 1 and 3–5 call `all_reduce` in `f` [0/0], but rank 2 has no matching call")
    assert text == (
        "`all_reduce` (sum) of f32 (16, s0) in group `1` is call 2 of the group; the log of rank 2 records 1 call. The other ranks wait unless the call"
        " is made outside compiled code."
    )
    assert (
        " the logs of ranks 0, 1 and 3–5 record 1 call."
        in sentences_of("collective-waits", SEVERAL, details)[1]
    )


def test_a_failure_without_a_message():
    details = {"text": "", "type": None, "file": None, "line": None}
    assert (
        sentences_of("failure", ONE, details)[0] == "Rank 2 failed to compile `f` [0/0]: no message recorded"
    )
    details |= {"text": "TypeError: bad", "type": "builtins.TypeError", "file": "/x/train.py", "line": 3}
    assert sentences_of("failure", ONE, details)[0].endswith(": `TypeError: bad` at `train.py:3`")
    details |= {"text": "bad", "line": None}
    assert sentences_of("failure", ONE, details)[0].endswith(": `TypeError: bad` at `train.py`")


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (None, "y = x", "the end of the text instead of `y = x`"),
        (" ", "y = x", "an empty line instead of `y = x`"),
        ("# File: a.py:1 in f, code: x", "# File: a.py:1 in f, code: y", "`x` instead of `y`"),
        (
            "# File: a.py:1 in f, code: x",
            "# File: b.py:1 in f, code: x",
            "`a.py:1 in f` instead of `b.py:1 in f`",
        ),
        ("# File: a.py:1 in f, code: x", "z", "`x` instead of `z`"),
    ],
)
def test_a_line_that_differs(here, others, text):
    line = {"artifact": "g", "change": "replaced", "number": 4, "here": here, "others": others}
    details = {"stage": "joint", "inputs": [], "line": line}
    assert sentences_of("graph", ONE, details, {"expected": False}) == (
        "On rank 2, AOTAutograd built a different joint graph for `f` [0/0]",
        f"Line 4 is {text}.",
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [("added", "Line 4 is an extra one: `y = x`."), ("missing", "A line is missing at line 4: `y = x`.")],
)
def test_a_line_of_one_side(change, text):
    line = {"artifact": "g", "change": change, "number": 4, "here": None, "others": None}
    line["here" if change == "added" else "others"] = "y = x"
    assert sentences_of("graph", ONE, {"stage": "dynamo", "inputs": [], "line": line})[1] == text


@pytest.mark.parametrize(
    ("count", "equal", "like", "ranks"),
    [
        (6, True, ", like pipeline stages", "Rank 0; rank 1; rank 2; rank 3; rank 4; rank 5"),
        (7, False, "", "Rank 0; rank 1; rank 2; rank 3; rank 4; rank 5; …"),
    ],
)
def test_roles_of_a_job(count, equal, like, ranks):
    roles = [[[rank, rank]] for rank in range(count)]
    title, text = sentences_of("stages", ONE, {"roles": roles}, {"equal": equal})
    assert title == f"The ranks have {count} roles with different code{like}"
    assert text == f"{ranks}. Ranks are only compared with ranks of the same role."


@pytest.mark.parametrize(
    ("logs", "older", "attempt", "text"),
    [
        (1, True, True, "An older log of rank 2 is not compared"),
        (1, False, True, "Another log of rank 2 is not compared"),
        (2, True, True, "2 logs of an earlier attempt are not compared"),
        (2, False, True, "2 logs of another attempt are not compared"),
        (2, True, False, "2 logs of a different run are not compared"),
    ],
)
def test_another_run(logs, older, attempt, text):
    details = {
        "run": 2,
        "logs": ["a", "b"][:logs],
        "log_count": logs,
        "ranks": ONE,
        "start_epoch_us": None,
        "world_size": None,
        "attempt": attempt,
    }
    title, more = sentences_of("other-run", ONE, details, {"older": older})
    assert title == text
    assert more == (
        "Rank 2: `a`." if logs == 1 else "Rank 2: `a` and `b`. To compare them instead, build with `--run 2`."
    )


def test_many_groups_are_counted():
    details = {"name": "buf0", "group_count": 1200}
    title, text = sentences_of("tensors", ONE, details)
    assert title == "On rank 2, `f` [0/0] computes different tensors, starting at `buf0`"
    assert text == "The ranks form 1,200 groups that all differ; this is the first."


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (None, "0/3", "Rank 2 ran fewer graphs: nothing at step 2, where others ran `f` [0/3]"),
        ("0/2", None, "Rank 2 ran more graphs: `f` [0/2] at step 2, where others ran nothing"),
        ("0/2", "0/3", "Different execution order: step 2 of rank 2 was `f` [0/2] instead of `f` [0/3]"),
    ],
)
def test_an_order_of_graphs_that_differs(here, others, text):
    details = {
        "position": 1,
        "here": here,
        "here_rank_compile": 0,
        "others": others,
        "others_rank_compile": 0,
    }
    assert sentences_of("execution-order", ONE, details)[0] == text
