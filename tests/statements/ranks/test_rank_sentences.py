"""Sentences about ranks, including cases without a fixture: number, unknown values, long lists."""

import pytest
from tlparse_bundle.statements.ranks.rank_finding import RankFinding
from tlparse_bundle.statements.ranks.registry import TEMPLATES
from tlparse_bundle.statements.ranks.wording import call_text, long_time, numbers, ordinal, sentences

COMPILES = [{"function": "f", "compile": "0/0"}, {"function": None, "compile": "1/0"}]
ONE, SEVERAL = [[2, 2]], [[0, 1], [3, 5]]
CALL = {
    "op": "all_reduce",
    "reduce_op": "sum",
    "group": "1",
    "group_size": 4,
    "dtype": "f32",
    "shape": [16, "s0"],
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
        ([[n, n] for n in range(0, 28, 2)], "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 2 more"),
    ],
)
def test_ranks_as_text(runs, text):
    assert numbers(runs) == text


def test_ordinals():
    assert [*map(ordinal, (1, 2, 3, 4, 10, 11, 12, 13, 14, 21, 22, 23, 111, 112))] == [
        "1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "14th", "21st", "22nd", "23rd", "111th",
        "112th",
    ]  # fmt: skip


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
            "Rank 2 left a log that ends within a record; its log ends 5 s before the others'",
            "Ranks 0, 1 and 3–5 left logs that end within a record; their logs end 5 s before the others'",
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
            "Rank 2 is inside `f` [0/0]; rank 9 never began it",
            "Ranks 0, 1 and 3–5 are inside `f` [0/0]; rank 9 never began it",
        ),
        (
            "guard",
            {"text": "TENSOR_MATCH: x", "lacking": True},
            {},
            "Rank 2 lacks a guard that others have in `f` [0/0] (its 2nd compile): `TENSOR_MATCH: x`",
            "Ranks 0, 1 and 3–5 lack a guard that others have in `f` [0/0] (their 2nd compile):"
            " `TENSOR_MATCH: x`",
        ),
        (
            "missing-wait",
            {"missing_waits": 0},
            {},
            "Rank 2 does not wait for 1 collective in `f` [0/0]",
            "Ranks 0, 1 and 3–5 do not wait for 1 collective in `f` [0/0]",
        ),
        (
            "collective-parity",
            {"op": "all_reduce", "scheduled": 2, "in_code": 1},
            {},
            "Rank 2 schedules 2 × `all_reduce` in `f` [0/0], but the code there calls 1",
            "Ranks 0, 1 and 3–5 schedule 2 × `all_reduce` in `f` [0/0], but the code there calls 1",
        ),
    ],
)
def test_sentences_agree_in_number(kind, details, facts, one, several):
    number = 2 if kind == "guard" else None
    assert [sentences_of(kind, ranks, details, facts, number=number)[0] for ranks in (ONE, SEVERAL)] == [
        one,
        several,
    ]


def test_a_wait_names_the_calls_that_the_log_has():
    details = {"position": 1, "call": CALL}
    title, text = sentences_of("collective-waits", ONE, details, others=SEVERAL)
    assert title == (
        "Ranks 0, 1 and 3–5 call `all_reduce` (sum) of f32 (16, s0) in group `1` in `f` [0/0], for which rank 2"
        " has no call"
    )
    assert text == (
        "It is call 2 in the group; rank 2 makes 1 call there that its log knows of. The others cannot go on,"
        " unless it is called outside of compiled code."
    )
    assert (
        " make 1 call there that their logs know of." in sentences_of("collective-waits", SEVERAL, details)[1]
    )


def test_a_failure_without_a_message():
    details = {"text": "", "type": None, "file": None, "line": None}
    assert (
        sentences_of("failure", ONE, details)[0]
        == "Rank 2 failed to compile `f` [0/0]: torch wrote no message"
    )
    details |= {"text": "TypeError: bad", "type": "builtins.TypeError", "file": "/x/train.py", "line": 3}
    assert sentences_of("failure", ONE, details)[0].endswith(": `TypeError: bad` at `train.py:3`")
    details |= {"text": "bad", "line": None}
    assert sentences_of("failure", ONE, details)[0].endswith(": `TypeError: bad` at `train.py`")


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (None, "y = x", "no line instead of `y = x`"),
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
    line = {"artifact": "g", "number": 4, "here": here, "others": others}
    title, _ = sentences_of("graph", ONE, {"stage": "joint", "inputs": [], "line": line}, {"expected": False})
    assert title == f"Rank 2 compiled `f` [0/0] to another joint graph, first in line 4: {text}"


@pytest.mark.parametrize(
    ("count", "equal", "text"),
    [
        (6, True, ", like the stages of a pipeline: rank 0; rank 1; rank 2; rank 3; rank 4; rank 5"),
        (7, False, ": rank 0; rank 1; rank 2; rank 3; rank 4; rank 5; …"),
    ],
)
def test_parts_of_a_job(count, equal, text):
    parts = [[[rank, rank]] for rank in range(count)]
    title, _ = sentences_of("stages", ONE, {"parts": parts}, {"equal": equal})
    assert title == f"The ranks form {count} parts that compiled nothing in common{text}"


@pytest.mark.parametrize(
    ("logs", "older", "attempt", "text"),
    [
        (1, True, True, "Rank 2 also left an older log, which is not compared"),
        (1, False, True, "Rank 2 also left another log, which is not compared"),
        (2, True, True, "2 logs of an earlier attempt are not compared"),
        (2, False, True, "2 logs of another attempt are not compared"),
        (2, True, False, "2 logs of another run are not compared"),
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
        "Rank 2: `a`." if logs == 1 else "Rank 2: `a` and `b`. `--run 2` at the build compares them instead."
    )


def test_many_groups_are_counted():
    details = {"name": "buf0", "group_count": 1200}
    title, text = sentences_of("tensors", ONE, details)
    assert title == "Rank 2 computed other tensors in `f` [0/0], from `buf0` on"
    assert text == "The ranks form 1,200 groups, each of which differs; this is the first of them."


@pytest.mark.parametrize(
    ("here", "others", "text"),
    [
        (None, "0/3", "ran fewer graphs: nothing more where others ran `f` [0/3] as the 2nd"),
        ("0/2", None, "ran more graphs: `f` [0/2] as the 2nd, where others ran nothing more"),
        ("0/2", "0/3", "ran graphs in another order: the 2nd was `f` [0/2], where others ran `f` [0/3]"),
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
    assert sentences_of("execution-order", ONE, details)[0] == f"Rank 2 {text}"
