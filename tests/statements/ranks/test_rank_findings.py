"""The order of rank findings, and their causes."""

import pytest
from tlparse_bundle.statements.ranks.findings import follows
from tlparse_bundle.statements.ranks.rank_finding import RankFinding
from tlparse_bundle.statements.statement import ordered


def finding(kind, severity="warning", *, ranks=((2, 2),), others=((0, 1),), column=0, place=None, **details):
    return RankFinding(
        kind,
        severity,
        "",
        place=(place, None, None),
        ranks=[list(run) for run in ranks],
        others=[list(run) for run in others],
        rank_compile=column,
        details={"inputs": [], "effect": "hang", "here_rank_compile": None, **details},
    )


def test_the_most_important_comes_first():
    """Each is more important than the next, whichever compile it is about."""
    wanted = [
        finding("collective-mismatch", "error", column=9),
        finding("failed-everywhere", "error", column=8),
        finding("failure", "error", column=7),
        finding("failure", "error", column=8),
        finding("never-began", "error"),
        finding("equal-logs"),
        finding("execution-order", "error"),
        finding("collective-mismatch", "error", effect="wrong"),
        finding("missing-wait"),
        finding("collective-parity"),
        finding("cached-before", "info"),
        finding("straggler", "info"),
        finding("never-began", "info"),
        finding("graph-break"),
        finding("graph", inputs=[{"name": "x"}]),
        finding("execution-order"),
        finding("collectives"),
        finding("graph"),
        finding("tensors"),
        finding("guard", "info"),
        finding("graph-break", column=1),
        finding("other-run", "info"),
    ]
    assert ordered(reversed(wanted)) == wanted


def test_the_lowest_rank_comes_first():
    low, high = finding("failure", ranks=[(0, 3)]), finding("failure", ranks=[(1, 1), (3, 3)])
    assert ordered([high, low]) == [low, high]


OF_ONE = finding("failure", column=1)
BREAK = finding("graph-break", column=1)


@pytest.mark.parametrize(
    ("effect", "cause", "expected"),
    [
        # A rank stops: everything that it lacks from then on.
        (finding("never-began", column=1), OF_ONE, True),
        (finding("never-began", column=0), OF_ONE, False),
        (finding("missing-compile", column=2), OF_ONE, True),
        (finding("missing-compile", column=2, ranks=[(2, 3)]), OF_ONE, False),
        (finding("collective-waits", column=2), finding("never-began", column=1, ranks=[(1, 2)]), True),
        # Caches of other ranks.
        (finding("straggler"), finding("cached-before", ranks=[(0, 1)], others=[(2, 3)]), True),
        (finding("straggler"), finding("cached-before", ranks=[(2, 2)], others=[(0, 1)]), False),
        (finding("late-start"), finding("cached-before", ranks=[(0, 1)], others=[(2, 3)]), False),
        # Copies of logs.
        (finding("rank-differs"), finding("equal-logs", ranks=[(1, 2)]), True),
        (finding("rank-differs"), finding("equal-logs", ranks=[(0, 1)]), False),
        (finding("graph"), finding("equal-logs", ranks=[(1, 2)]), False),
        # A different torch.
        (finding("graph", column=5), finding("mixed-versions", column=None), True),
        (finding("collective-waits", column=5), finding("mixed-versions", column=None), False),
        (finding("graph"), finding("mixed-versions", column=None, ranks=[(3, 3)]), False),
        # Within a compile.
        (finding("graph", column=1), BREAK, True),
        (finding("graph", column=2), BREAK, False),
        (finding("graph", column=1, ranks=[(3, 3)]), BREAK, False),
        (finding("graph-break", column=1), BREAK, False),
        (finding("graph-break", column=1), finding("graph", column=1), False),
        # The rest of a function that the other ranks did not split.
        (finding("extra-compile", column=2, place="torch_dynamo_resume_in_f_at_3"), BREAK, True),
        (finding("extra-compile", column=0, place="torch_dynamo_resume_in_f_at_3"), BREAK, False),
        (finding("extra-compile", column=2, place="f"), BREAK, False),
        (finding("execution-order", column=2, place="torch_dynamo_resume_in_f_at_3"), BREAK, True),
        # A different input propagates from graph to graph.
        (finding("graph", column=2, inputs=[1]), finding("graph", column=1, inputs=[1]), True),
        (finding("graph", column=1, inputs=[1]), finding("graph", column=1, inputs=[1]), False),
        (finding("graph", column=2, inputs=[1]), finding("graph", column=1), False),
        (finding("graph", column=2), finding("graph", column=1, inputs=[1]), False),
        # An extra compile that ran.
        (finding("execution-order", here_rank_compile=1), finding("extra-compile", column=1), True),
        (finding("execution-order", here_rank_compile=2), finding("extra-compile", column=1), False),
        (finding("graph", here_rank_compile=1), finding("extra-compile", column=1), False),
    ],
)
def test_causes_of_findings(effect, cause, expected):
    assert follows(effect, cause) is expected
