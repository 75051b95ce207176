"""Compiles that failed, exceptions outside of compiles, and attempts that were started again without a graph break."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tlparse_bundle.findings.attempts import breaks_by_frame, lost_us, tells_of
from tlparse_bundle.findings.counts import export_count
from tlparse_bundle.findings.export_stops import stop_around
from tlparse_bundle.findings.facts import Facts, FrameCompile, total
from tlparse_bundle.findings.finding import Finding
from tlparse_bundle.findings.moments import compiling_us
from tlparse_bundle.findings.words import MOST_TEXT, code, first_line, function_name, plural, shortened, taken_apart, times, torch_remedies

KINDS = ("failure", "restart")
_WHAT = {
    "compile": "failed to compile",
    "exception": "failed to compile",
    "backward": "failed in the backward compile",
    "eager_backward": "has a backward that could not be compiled ahead",
    "fx_interpreter": "failed while a graph was interpreted",
    "make_fx": "could not be traced into a graph (make_fx)",
}
_UNTOLD = {"make_fx": "torch wrote the graph up to there, and not the exception. make_fx traces for torch.export and for AOTAutograd."}


@dataclass(slots=True)
class _Failure:
    """One failure, with all records that tell of it: the exception, then the metrics of the compile."""

    kind: str
    compile_index: int
    cells: dict = field(default_factory=dict)
    events: list[int] = field(default_factory=list)

    def add(self, row: dict) -> None:
        self.events.append(row["event_index"])
        for cell, value in row.items():
            if self.cells.get(cell) is None:
                self.cells[cell] = value
        if row["kind"] != "exception":
            self.kind = row["kind"]


def findings(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple, list[_Failure]] = {}
    for failure in _failures(facts):
        groups.setdefault(_cause(facts, failure), []).append(failure)
    for cause, group in groups.items():
        yield _finding(facts, cause, group)
    yield from _restarts(facts)


def _failures(facts: Facts) -> list[_Failure]:
    """Each failure once: not those that the recompile limit refused, nor those that a graph break or an export failure tells of already."""
    broken = facts.once(breaks_by_frame)
    found: dict[tuple, _Failure] = {}
    for number, row in enumerate(facts.table("failures")["failures"]):
        compile = facts.compiles[row["compile_index"]]
        if row["kind"] == "restart" or row["compile_index"] in facts.refused:
            continue
        alone = compile["id"] is None or row["kind"] in ("fx_interpreter", "make_fx")
        key = (number,) if alone else (*facts.frame_key(compile), "backward" in row["kind"])
        if row["kind"] == "make_fx" and stop_around(facts, row["event_index"]) is not None:
            continue
        if not alone and tells_of(broken.get(facts.frame_key(compile), ()), row["reason"]):
            continue
        found.setdefault(key, _Failure(row["kind"], row["compile_index"])).add(row)
    return list(found.values())


def _name(facts: Facts, failure: _Failure) -> str | None:
    return facts.compiles[failure.compile_index]["function"] or failure.cells["function"]


def _type(failure: _Failure) -> str | None:
    """Name of the exception's class."""
    return failure.cells["type"] and failure.cells["type"].rpartition(".")[2]


def _cause(facts: Facts, failure: _Failure) -> tuple:
    head, _, _ = taken_apart(failure.cells["reason"])
    return _type(failure), first_line(head), failure.kind, _name(facts, failure), failure.cells["file"], failure.cells["line"]


def _who(facts: Facts, kind: str, name: str | None, compile: dict) -> str:
    if name:
        return code(name)
    if kind == "make_fx":
        return "A function without a name"
    if compile["id"] is None and facts.ahead_of_time:
        return "An ahead-of-time compile"
    return "A compile without a name" if compile["id"] is not None else "A capture of `torch.export`" if export_count(facts) else "Something that has no compile id"


def _rest(head: str, message: str) -> str | None:
    """What the title does not say of it."""
    lines = head.split("\n")
    for number in range(min(4, len(lines)) + 1):
        if " ".join(" ".join(lines[:number]).split()) == message:
            return "\n".join(lines[number:]).strip() or None
    return head.strip() or None


def _finding(facts: Facts, cause: tuple, group: list[_Failure]) -> Finding:
    kind_of_error, message, kind, name, file, line = cause
    head, explanation, hints = taken_apart(group[0].cells["reason"])
    compile = facts.compiles[group[0].compile_index]
    where = facts.short.place(file, line)
    if file is None and compile["filename"] is not None:
        file, line = compile["filename"], compile["first_line"]
    frames = {facts.frame_key(facts.compiles[failure.compile_index]) for failure in group}
    cost = compiling_us((facts.frame_of[key].row for key in frames if key in facts.frame_of), with_backward=False) if kind in ("compile", "exception") else None
    what = ": ".join(filter(None, [kind_of_error, message]))
    verb = "failed" if kind in ("compile", "exception") and not name and compile["id"] is None else _WHAT[kind]
    title = f"{_who(facts, kind, name, compile)} {verb}{f' ({times(len(group))})' if len(group) > 1 else ''}{f': {what}' if what else ''}"
    suppressed = kind in ("compile", "exception") and facts.setting("dynamo_config.suppress_errors") is True
    texts = [_UNTOLD.get(kind, "torch wrote no message.") if not what else None, shortened(_rest(head, message)), shortened(explanation), f"{'The graph ends with' if kind == 'make_fx' else 'It was raised at'} {code(where)}: {code(group[0].cells['source_line'])}" if where and group[0].cells["source_line"] else None,
        "`suppress_errors` is on in the log: the program went on with the uncompiled function." if suppressed else None]
    return Finding(
        "failure",
        "error",
        title,
        (kind, kind_of_error, message),
        "\n\n".join(filter(None, texts)),
        (name, file and facts.short(file), line),
        [failure.compile_index for failure in group],
        [event for failure in group for event in failure.events],
        count=len(group),
        cost_us=cost,
        cost_of="time of the compiles that failed",
        remedies=torch_remedies(hints),
        key=("failure", group[0].events[0]),
        details={"phase": kind, "exception_type": group[0].cells["type"], "message": head[:MOST_TEXT] or None, "source_line": group[0].cells["source_line"]},
    )


def _restarts(facts: Facts) -> Iterator[Finding]:
    """Attempts that were started again where no graph break tells why."""
    broken = facts.once(breaks_by_frame)
    groups: dict[tuple, list[FrameCompile]] = {}
    for frame in facts.frames:
        breaks = broken.get(facts.frame_key(frame.row), [])
        rest = [reason for reason in frame.row["restart_reasons"] if not tells_of(breaks, reason)]
        for reason in rest[: max(0, len(frame.row["restart_reasons"]) - len(breaks))]:
            groups.setdefault((frame.row["function"], first_line(reason)), []).append(frame)
    by_frame = {}
    for row in facts.table("failures")["failures"]:
        if row["kind"] == "restart":
            by_frame.setdefault((facts.frame_key(facts.compiles[row["compile_index"]]), first_line(row["reason"])), row["event_index"])
    for (name, reason), frames in groups.items():
        _, file, line = facts.place_of(frames[0].rows[0])
        yield Finding(
            "restart",
            "info",
            f"{function_name(name)} was traced again from its start {times(len(frames))}: {reason}",
            (reason,),
            f"Dynamo threw away what it had traced and began anew, in {plural(len(frames), 'compile')}.",
            (name, file, line),
            [frame.rows[-1] for frame in frames],
            [by_frame[key] for frame in frames if (key := (facts.frame_key(frame.row), reason)) in by_frame],
            count=len(frames),
            cost_us=total(lost_us(facts, frame) for frame in frames),
            cost_of="time of the attempts that were thrown away",
            details={"reason": reason},
        )
