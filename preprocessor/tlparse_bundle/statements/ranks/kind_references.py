"""Reference texts of the kinds in ``health`` and ``graphs``."""

from __future__ import annotations

from tlparse_bundle.statements.statement import KindReference

HEALTH: dict[str, KindReference] = {
    "missing-rank": KindReference(
        "Missing log",
        "No log of this rank is in the bundle, although other logs or the world size show that the "
        "rank exists.",
        "Copy the missing log into the folder and build again, or check whether the process started.",
        "Missing ranks above the highest one are only found if a log reports the world size.",
    ),
    "empty-log": KindReference(
        "Empty log",
        "The log of this rank has no record.",
        "Check whether the process stopped before its first compile.",
        "A log that ends inside a record is reported as `cut-log`.",
    ),
    "cut-log": KindReference(
        "Truncated log",
        "The log ends inside a record: the process was killed while writing, or the file was "
        "truncated when it was copied. Nothing after the cut is compared.",
        "Copy the file again, or find out why the process was killed.",
        "A log that was cut between two records looks complete.",
    ),
    "equal-logs": KindReference(
        "Identical logs",
        "The logs of several ranks are equal byte for byte, so all but one are copies.",
        "Copy the log of each rank again.",
        "Empty logs are not compared for this.",
    ),
    "unfinished-compile": KindReference(
        "Rank still compiling",
        "The log of this rank ends inside a compile. Ranks that finished it wait if the compiled code "
        "calls a collective with this rank.",
        "Look at the open span and the last artifact to see where the compiler stopped.",
        "A log that is still being written can end inside a compile.",
    ),
    "never-began": KindReference(
        "Compile not started",
        "This rank compiled nothing, or lacks the last compiles of the other ranks. It is an error if "
        "these call a collective that needs this rank.",
        "Find out what stopped or delayed this rank: look at the end of its log and at its output.",
        "A rank that runs the code eager, or from an earlier compile, does not log a compile.",
    ),
}

GRAPHS: dict[str, KindReference] = {
    "graph": KindReference(
        "Different graph or code",
        "The same compile has a different graph or different generated code on these ranks. The "
        "finding names the first compiler stage and, where known, the input or line that differs.",
        "Make the inputs equal on all ranks, or make the code independent of the rank.",
        "Device numbers, graph ids, addresses, paths and names of process groups are not compared. Graphs "
        "whose numbers depend on the rank are reported as `rank-numbers`.",
    ),
    "rank-numbers": KindReference(
        "Numbers that depend on the rank",
        "Ranks captured the same graph with different numbers, in a pattern that is normal: each number on "
        "equally many ranks, an all-to-all whose sizes match, or a smaller tensor on the last rank.",
        "Nothing, if the code is meant to depend on the rank.",
        "A number that is different on some ranks without such a pattern is reported as `graph`.",
    ),
}
