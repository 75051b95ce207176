"""The same program has the same fingerprints with a different torch, on each rank and in each run.

tests/statements/test_again.py compares runs in different folders.
"""

from itertools import pairwise

import pytest
from tlparse_bundle.statements.stable_causes import stable_cause

VERSIONS = ("2.6.0", "2.7.1", "2.8.0", "2.9.1", "2.10.0", "2.12.0", "2.13.0", "2.15.0")
PROGRAMS = ("breaks", "recompiles", "fail", "train", "killed")
EXPORTS = ("export_branches", "export_strictness", "export_aoti", "export_one_fails")
# Kinds about durations or cache contents.
OF_THE_RUN = {"cache-miss", "cache-bypass", "cache-error", "slow-span", "autotune", "guard-cost"}
# What cannot be equal, and why: (program, older version, newer version) -> {(kind, function) of the older one: why}.
DIFFERENT = {
    ("breaks", "2.6.0", "2.7.1"): {
        ("graph-break", "f_print"): "2.6 logs the classes of arguments, later versions their types",
        ("graph-break", "f_loop"): "2.6 logs the classes of arguments, later versions their types",
    },
    ("fail", "2.6.0", "2.7.1"): {
        ("graph-break", "h"): "2.6 has the operator in the reason, later versions do not name it there",
    },
    ("fail", "2.10.0", "2.12.0"): {
        ("failure", "d"): "since 2.12, torch logs a graph break instead of a failure for this exception",
    },
}


@pytest.fixture
def rows(built, root):
    """Return rows(path): the findings of each log without consequences, and those about times and caches."""
    return lambda path: [
        [row for row in log.findings() if row["kind"] not in OF_THE_RUN and row["because_of"] is None]
        for log in sorted(built(root / "fixtures" / path).logs, key=lambda log: log.id)
    ]


def fingerprints(found):
    return {row["fingerprint"]: (row["kind"], row["function"]) for row in found}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("sides", list(pairwise(VERSIONS)), ids="-".join)
def test_the_next_minor_version_of_torch(rows, program, sides):
    (older,), (newer,) = (rows(f"versions/{version}/{program}.log.zst") for version in sides)
    ours, theirs = fingerprints(older), fingerprints(newer)
    known = DIFFERENT.get((program, *sides), {})
    gone = sorted(ours[one] for one in ours.keys() - theirs.keys())
    assert gone == sorted(known)
    assert len(theirs.keys() - ours.keys()) == len(known)  # the same problems, in other words
    assert program == "train" or ours.keys() & theirs.keys()


@pytest.mark.parametrize("name", [f"{name}{end}" for name in EXPORTS for end in ("", "_dtrace")])
def test_exports_of_two_versions(rows, name):
    (older,), (newer,) = (rows(f"versions/{version}/{name}.log.zst") for version in ("2.13.0", "2.15.0"))
    assert fingerprints(older) == fingerprints(newer) != {}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_problems_of_one_log_have_different_fingerprints(rows, version, program):
    (found,) = rows(f"versions/{version}/{program}.log.zst")
    assert len({row["fingerprint"] for row in found}) == len(found)


@pytest.mark.parametrize("job", ["all_failed", "all_unfinished", "in_branch"])
def test_ranks_of_one_job(rows, job):
    """A problem that several ranks have is one problem."""
    ranks = [fingerprints(found) for found in rows(f"jobs/{job}")]
    assert len(ranks) == 4 and ranks[0] != {} and ranks == [ranks[0]] * 4


# Causes of two versions, runs or machines, in pairs; the last ones are two problems.
SAME = [
    (
        "graph-break",
        ("Unsupported Tensor.item() call with capture_scalar_outputs=False", None, "Dynamo does not"),
        ("Tensor.item", None, ""),
    ),
    (
        "graph-break",
        (
            "call torch._dynamo.disable() wrapped function <function off at 0x7f16e92d4980>",
            None,
            "",
        ),
        (
            "Skip calling `torch.compiler.disable()`d function",
            None,
            "Skip calling function `<function off at 0x7f0000000010>` since it was wrapped with"
            " `torch.compiler.disable` (reason: None)",
        ),
    ),
    (
        "failure",
        ("compile", "BackendCompilerFailed", "backend='inductor' raised: LoweringException: no"),
        ("compile", "InductorError", "LoweringException: no"),
    ),
    ("recompile", ("size", "L['x']", 0, None), ("size", "x", 0, None)),
    ("recompile", ("value", "L['self'].mode", None, None), ("value", "self.mode", None, None)),
    (
        "failure",
        ("compile", "E", "cannot load /tmp/tmpabcdefgh/x.so in process 17"),
        ("compile", "E", "cannot load /var/tmp12345678/x.so in process 18"),
    ),
    ("unfinished-compile", ("f", ["/a/b/pass.py"]), ("f", ["/c/d/pass.py"])),
]
TWO = [
    ("graph-break", ("Skip calling", None, "function `f`"), ("Skip calling", None, "function `g`")),
    (
        "failure",
        ("compile", "BackendCompilerFailed", "backend='a' raised: x"),
        ("compile", "InductorError", "x"),
    ),
    ("recompile", ("size", "x", 0, None), ("size", "x", 1, None)),
    ("recompile", ("value", "G['x']", None, None), ("value", "L['x']", None, None)),
]


@pytest.mark.parametrize(("kind", "one", "other"), SAME)
def test_causes_in_other_words(kind, one, other):
    assert stable_cause(kind, one) == stable_cause(kind, other)


@pytest.mark.parametrize(("kind", "one", "other"), TWO)
def test_two_causes_stay_apart(kind, one, other):
    assert stable_cause(kind, one) != stable_cause(kind, other)
