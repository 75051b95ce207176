"""What statements say to a person: plain text, code between backticks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from tlparse_bundle.base.machine_text import tail
from tlparse_bundle.base.wording import code, duration, first_line, large, listed, plural
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.torch_messages import taken_apart

_STAGES = {
    "dynamo": "graph of Dynamo", "joint": "joint graph", "forward": "forward graph", "backward": "backward graph", "inference": "graph of AOTAutograd",
    "post_grad": "graph behind Inductor's passes", "code": "generated code",
}  # fmt: skip
_TOLD = re.compile(r"^# File: (.*), code: (.+)$")
_MOST_PARTS = 6
_HOUR_US, _DAY_US = 3_600_000_000, 24 * 3_600_000_000


def size(runs: Sequence[Sequence[int]]) -> int:
    return sum(last - first + 1 for first, last in runs)


def numbers(runs: Sequence[Sequence[int]]) -> str:
    """ "0, 1 and 3–511"."""
    parts = [
        part
        for first, last in runs
        for part in ([f"{first}–{last}"] if last - first > 1 else map(str, range(first, last + 1)))
    ]
    return listed(parts, 12)


def ranks(runs: Sequence[Sequence[int]]) -> str:
    """ "rank 2", "ranks 0, 1 and 3"."""
    return f"rank {numbers(runs)}" if size(runs) == 1 else f"ranks {numbers(runs)}" if runs else "no rank"


def ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def when(epoch_us: int) -> str:
    """A moment, UTC."""
    return datetime.fromtimestamp(epoch_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def long_time(us: int) -> str:
    return (
        duration(us)
        if us < 2 * _HOUR_US
        else f"{us / _HOUR_US:.1f} h"
        if us < 2 * _DAY_US
        else f"{round(us / _DAY_US):,} days"
    )


def function_text(name: str | None) -> str:
    part = resume_function(name)
    return code(
        f"{part.function}, resumed at line {part.line}"
        if part and part.line
        else name or "(unknown function)"
    )


def call_text(call: dict) -> str:
    """ "`all_reduce` (sum) of f32 (16, 8) in group `0`", as far as it is known."""
    what = " ".join(
        filter(
            None,
            [call["dtype"], f"({', '.join(map(str, call['shape']))})" if call["shape"] is not None else None],
        )
    )
    parts = [
        code(call["op"]),
        f"({call['reduce_op']})" if call["reduce_op"] else None,
        f"of {what}" if what else None,
        f"in group {code(call['group'])}" if call["group"] is not None else None,
    ]
    return " ".join(filter(None, parts))


class Sentences:
    """``sentence(statement)`` is (title, text). ``compiles`` are the rows of ``rank_compiles``."""

    def __init__(self, compiles: Sequence[dict]):
        self._compiles = compiles

    def __call__(self, statement: dict) -> tuple[str, str]:
        make: Callable[..., Any] = getattr(self, "_" + statement["kind"].replace("-", "_"))
        said = make(statement, statement["details"])
        title, text = said if isinstance(said, tuple) else (said, "")
        more = statement["details"].get("group_count")
        return large(title), "\n\n".join(
            filter(
                None,
                [
                    text,
                    (
                        f"The ranks form {more:,} groups, each of which differs; this is the first of them."
                        if more
                        else None
                    ),
                ],
            )
        )

    def _name(self, column: int | None, key: str | None = None) -> str:
        row = {} if column is None else self._compiles[column]
        id_ = key or row.get("compile")
        return function_text(row.get("function")) + (f" [{id_}]" if id_ else "")

    def _mine(self, st: dict) -> str:
        return self._name(st["rank_compile"], st["compile"])

    def _theirs(self, st: dict) -> str:
        return self._name(st["rank_compile"], st["others_compile"])

    def _whose(self, st: dict) -> str:
        """ "`block` [1/0] (its 2nd compile)"."""
        return self._mine(st) + (
            f" ({_verb(st, 'its', 'their')} {ordinal(st['number'])} compile)" if st["number"] else ""
        )

    def _other_run(self, st: dict, d: dict) -> tuple[str, str]:
        logs, at = (
            plural(d["log_count"], "log"),
            f" from {when(d['start_epoch_us'])}" if d["start_epoch_us"] is not None else "",
        )
        older = (
            None not in (d["start_epoch_us"], d["own_start_epoch_us"])
            and d["start_epoch_us"] < d["own_start_epoch_us"]
        )
        if d["log_count"] == 1:
            title = (
                f"{ranks(d['ranks'])} also left {'an older' if older else 'another'} log{at}, which is not"
                " compared"
            )
        else:
            title = (
                f"{logs} of"
                f" {'an earlier attempt' if d['attempt'] and older else 'another attempt' if d['attempt'] else 'another run'}{at}"
                f" {_are(d['log_count'])} not compared"
            )
        about = f"{large(ranks(d['ranks']))}" + (f" of {d['world_size']:,}" if d["world_size"] else "")
        return title, f"{about}: {listed([code(id_) for id_ in d['logs']], 8)}." + (
            f" `--run {d['run']}` at the build compares {'it' if d['log_count'] == 1 else 'them'} instead."
            if d["log_count"] > 1
            else ""
        )

    def _no_rank(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            f"{plural(d['log_count'], 'log')} without a rank {_are(d['log_count'])} not compared",
            (
                "Neither the name of the file nor a record tells a rank:"
                f" {listed([code(id_) for id_ in d['logs']], 8)}."
            ),
        )

    def _rank_differs(self, st: dict, d: dict) -> str:
        return (
            f"The {_verb(st, 'log', 'logs')} of {ranks(st['ranks'])} {_verb(st, 'carries', 'carry')} records"
            f" of another rank than {_verb(st, 'its file name says', 'their file names say')}"
        )

    def _mixed_versions(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            (
                f"{ranks(st['ranks'])} ran torch {d['version']}, {ranks(st['others'])} torch"
                f" {d['others_version']}"
            ),
            (
                "Other versions of torch compile the same program to other code; what differs below may come"
                " from that."
            ),
        )

    def _stages(self, st: dict, d: dict) -> tuple[str, str]:
        like = ", like the stages of a pipeline" if len({size(part) for part in d["parts"]}) == 1 else ""
        parts = [
            *(ranks(part) for part in d["parts"][:_MOST_PARTS]),
            *(["…"] if len(d["parts"]) > _MOST_PARTS else []),
        ]
        return (
            (
                f"The ranks form {len(d['parts'])} parts that compiled nothing in common{like}:"
                f" {'; '.join(parts)}"
            ),
            "Ranks are compared with those that compiled the same functions only.",
        )

    def _missing_rank(self, st: dict, d: dict) -> tuple[str, str]:
        known = (
            f"The job has {d['world_size']:,} ranks, as calls of collectives or estimates in the logs tell."
            if d["world_size"]
            else f"There are logs of {ranks(st['others'])}."
        )
        waiting = (
            f" All ranks must make {call_text(d['call'])}, which compiled code calls: without a log it is not"
            f" known whether {_verb(st, 'it', 'they')} did."
            if d["call"]
            else ""
        )
        return f"{ranks(st['ranks'])} left no log", known + waiting

    def _empty_log(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} left {_verb(st, 'an empty log', 'empty logs')}"

    def _cut_log(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            (
                f"{ranks(st['ranks'])} left {_verb(st, 'a log that ends', 'logs that end')} within a"
                f" record{_ended_before(st, d)}"
            ),
            (
                "The process was killed while it wrote, or the file was cut when it was copied. What would"
                " come behind the cut is not known and not compared."
            ),
        )

    def _equal_logs(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            f"The logs of {ranks(st['ranks'])} are equal byte for byte",
            "One process wrote them: all but one are copies, so nothing is known of the other ranks.",
        )

    def _unfinished_compile(self, st: dict, d: dict) -> tuple[str, str]:
        everyone = not d["finished"] and not d["never_began"]
        inside = (
            f"{'All ' + plural(size(st['ranks']), 'rank') if everyone and size(st['ranks']) > 1 else ranks(st['ranks'])}"
            f" {_verb(st, 'is', 'are')} inside {self._mine(st)}"
        )
        told = [
            (
                f"for {duration(d['open_us'])} when {_verb(st, 'its log ends', 'the logs end')}"
                if d["open_us"] is not None
                else None
            ),
            f"in {code(d['span'])}" if d["span"] else None,
        ]
        about = ", ".join(filter(None, told))
        others = [
            f"{ranks(d['finished'])} finished it" if d["finished"] else None,
            f"{ranks(d['never_began'])} never began it" if d["never_began"] else None,
        ]
        title = (
            inside
            + (f" ({about})" if about else "")
            + (f"; {' and '.join(filter(None, others))}" if any(others) else "")
        )
        text = (
            f"The last artifact that {_verb(st, 'it', 'they')} wrote there is {code(d['phase'])}."
            if d["phase"]
            else "Nothing of that compile was written yet."
        )
        if d["call"] and d["finished"]:
            text += (
                f" The ranks that finished it cannot go on without {ranks(st['ranks'])} in"
                f" {call_text(d['call'])}, which it calls."
            )
        return title, text + ("" if everyone else _ended(st, d))

    def _never_began(self, st: dict, d: dict) -> tuple[str, str]:
        finished = f", which {ranks(d['finished'])} finished" if d["finished"] else ""
        if d["silent"]:
            title = f"{ranks(st['ranks'])} compiled nothing, {ranks(st['others'])} did"
        else:
            title = f"{ranks(st['ranks'])} never began {self._theirs(st)}{finished}"
        if d["call"]:
            return (
                (
                    f"{title}; it calls {call_text(d['call'])}, for which the others need"
                    f" {_verb(st, 'it', 'them')}"
                    if d["call"]["rank_compile"] == st["rank_compile"]
                    else title
                ),
                (
                    f"{large(ranks(st['others']))} cannot go on without {ranks(st['ranks'])} in"
                    f" {call_text(d['call'])}, called in {self._name(d['call']['rank_compile'])}, unless"
                    f" {_verb(st, 'that rank runs', 'those ranks run')} it in code that was compiled before,"
                    " or without compiling." + _ended(st, d)
                ),
            )
        return (
            title,
            "The graphs that they lack call no collective of theirs, so nothing in the logs tells that others"
            " wait for them; a run that ends earlier looks like that." + _ended(st, d),
        )

    def _collective_mismatch(self, st: dict, d: dict) -> tuple[str, str]:
        here, others = d["here"], d["others"]
        title = (
            f"{ranks(st['ranks'])} {_verb(st, 'calls', 'call')} {call_text(here)} where {ranks(st['others'])}"
            f" {'calls' if size(st['others']) == 1 else 'call'} {call_text(others)}: {self._mine(st)}"
        )
        effect = {
            "hang": "These calls cannot meet: the ranks hang there, or fail.",
            "wrong": "The ranks go on, with results that are wrong or not equal.",
        }[d["effect"]]
        order = (
            "In the order in which the graphs ran"
            if d["recorded"]
            else "In the order of the compiles (the order of runs is not recorded)"
        )
        where = (
            f"{order} it is call {d['position'] + 1} in group {code(d['group'])}; the calls before it agree."
            if d["group"] is not None
            else f"{order} it is call {d['position'] + 1}."
        )
        other = (
            f" On {ranks(st['others'])} it is in {self._name(d['others_rank_compile'])}."
            if d["others_rank_compile"] != st["rank_compile"]
            else ""
        )
        return title, f"{effect} {where}{other}{_called(d)}"

    def _collective_waits(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            (
                f"{ranks(st['others'])} {'calls' if size(st['others']) == 1 else 'call'}"
                f" {call_text(d['call'])} in {self._theirs(st)}, for which {ranks(st['ranks'])}"
                f" {_verb(st, 'has', 'have')} no call"
            ),
            (
                f"It is call {d['position'] + 1} in the group; {ranks(st['ranks'])}"
                f" {_verb(st, 'makes', 'make')} {plural(d['position'], 'call')} there that"
                f" {_verb(st, 'its', 'their')} log{'s' if size(st['ranks']) > 1 else ''}"
                f" know{'' if size(st['ranks']) > 1 else 's'} of. The others cannot go on, unless it is"
                f" called outside of compiled code.{_called(d)}"
            ),
        )

    def _group_differs(self, st: dict, d: dict) -> tuple[str, str]:
        group, other = code(d["here"]["group"] or "?"), code(d["others"]["group"] or "?")
        return (
            (
                f"{ranks(st['ranks'])} {_verb(st, 'calls', 'call')} {code(d['here']['op'])} in group {group}"
                f" where {ranks(st['others'])} {'calls' if size(st['others']) == 1 else 'call'} it in group"
                f" {other}: {self._mine(st)}"
            ),
            (
                f"No other rank makes this call in group {group}. If the group has more members, they never"
                f" meet: {_verb(st, 'it hangs', 'they hang')} there, and so do the others if"
                f" {ranks(st['ranks'])} {_verb(st, 'is', 'are')} in group {other}.{_called(d)}"
            ),
        )

    def _failed_everywhere(self, st: dict, d: dict) -> str:
        return (
            f"All {plural(size(st['ranks']), 'rank')} failed to compile {self._mine(st)}:"
            f" {_problem(d)}{_place(d)}"
        )

    def _failure(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} failed to compile {self._whose(st)}: {_problem(d)}{_place(d)}"

    def _graph_break(self, st: dict, d: dict) -> str:
        lacking = d["lacking"]
        return (
            f"{ranks(st['ranks'])}"
            f" {'did not break the graph of ' + self._theirs(st) if lacking else 'broke the graph of ' + self._whose(st)}{_place(d)}{_quoted(d)}{', as the others did' if lacking else ''}"
        )

    def _restart(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} began {self._whose(st)} again{_quoted(d)}"

    def _recompile(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} recompiled {self._whose(st)}{_quoted(d)}"

    def _guard(self, st: dict, d: dict) -> str:
        has = (
            _verb(st, "lacks a guard that others have", "lack a guard that others have")
            if d["lacking"]
            else _verb(st, "has a guard of its own", "have a guard of their own")
        )
        return f"{ranks(st['ranks'])} {has} in {self._whose(st)}{_quoted(d)}"

    def _extra_compile(self, st: dict, d: dict) -> str:
        return (
            f"{ranks(st['ranks'])} compiled {self._whose(st)}, which {ranks(st['others'])} did"
            f" not{_shifted(d)}"
        )

    def _missing_compile(self, st: dict, d: dict) -> str:
        return (
            f"{ranks(st['ranks'])} did not compile {self._theirs(st)}, which {ranks(st['others'])}"
            f" did{_shifted(d)}"
        )

    def _compile_order(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} compiled {self._whose(st)} in another order{_shifted(d)}"

    def _graph(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            (
                f"{ranks(st['ranks'])} compiled {self._whose(st)} to another"
                f" {_STAGES.get(d['stage'], d['stage'])}{_because(d)}"
            ),
            (
                "That line differs in numbers alone. Tensor parallel ranks of vLLM hold parts of the"
                " vocabulary, each with bounds of its own: a difference like this is expected."
                if st["severity"] == "info"
                else ""
            ),
        )

    def _collectives(self, st: dict, d: dict) -> tuple[str, str]:
        position = d["position"]
        counts = [
            f"{plural(abs(here - there), code(_short_op(op)), code(_short_op(op)))}"
            f" {'fewer' if here < there else 'more'}"
            for op, (here, there) in d["counts"].items()
            if "wait_tensor" not in op
        ]
        step = (
            f"from position {position} on, {code(_short_op(d['here'])) if d['here'] else 'nothing more'}"
            f" where others have {code(_short_op(d['others'])) if d['others'] else 'nothing more'}"
        )
        text = (
            "Whether that can hang depends on the groups: a rank calls only the collectives of groups that it"
            " is a member of. The calls of each group are compared on their own."
        )
        return (
            (
                f"{ranks(st['ranks'])} {_verb(st, 'schedules', 'schedule')} other collectives in"
                f" {self._whose(st)}: {'; '.join([', '.join(counts), step] if counts else [step])}"
            ),
            text,
        )

    def _missing_wait(self, st: dict, d: dict) -> str:
        return (
            f"{ranks(st['ranks'])} {_verb(st, 'does', 'do')} not wait for"
            f" {plural(d['missing_waits'] or 1, 'collective')} in {self._mine(st)}"
        )

    def _collective_parity(self, st: dict, d: dict) -> str:
        return (
            f"{ranks(st['ranks'])} {_verb(st, 'schedules', 'schedule')} {d['scheduled']} × {code(d['op'])} in"
            f" {self._mine(st)}, but the code there calls {d['in_code']}"
        )

    def _execution_order(self, st: dict, d: dict) -> str:
        here, others = (
            self._name(d[f"{side}_rank_compile"], d[side]) if d[side] is not None else "nothing more"
            for side in ("here", "others")
        )
        if d["here"] is None:
            return (
                f"{ranks(st['ranks'])} ran fewer graphs: nothing more where others ran {others} as the"
                f" {ordinal(d['position'] + 1)}"
            )
        if d["others"] is None:
            return (
                f"{ranks(st['ranks'])} ran more graphs: {here} as the {ordinal(d['position'] + 1)}, where"
                " others ran nothing more"
            )
        return (
            f"{ranks(st['ranks'])} ran graphs in another order: the {ordinal(d['position'] + 1)} was {here},"
            f" where others ran {others}"
        )

    def _tensors(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} computed other tensors in {self._whose(st)}" + (
            f", from {code(d['name'])} on" if d.get("name") else ""
        )

    def _straggler(self, st: dict, d: dict) -> tuple[str, str]:
        cache = f" ({', '.join(d['cache'])})" if d["cache"] else ""
        took = f"{ranks(st['ranks'])} took {duration(d['slowest_us'])} for {self._mine(st)}{cache}"
        if d["compared_count"] < 3:
            return (
                f"{took}, {ranks(st['others'])} {duration(d['other_us'])}",
                "With two ranks it is not known which of them is unusual.",
            )
        return (
            f"{took}, half of the ranks no more than {duration(d['median_us'])}",
            (
                f"Up to {duration(d['lost_us'])} in which the others wait, if all wait for one another after"
                " each compile."
            ),
        )

    def _late_start(self, st: dict, d: dict) -> str:
        return f"{ranks(st['ranks'])} began to compile {long_time(d['late_us'])} later than the others"

    def _cached_before(self, st: dict, d: dict) -> tuple[str, str]:
        return (
            f"{ranks(st['ranks'])} found in caches what {ranks(st['others'])} had to compile",
            "These ranks were warm when the run began; their times say nothing about compiling.",
        )


def _verb(st: dict, one: str, several: str) -> str:
    return one if size(st["ranks"]) == 1 else several


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _shifted(d: dict) -> str:
    return "; the ids of later compiles are shifted" if d["shifted"] else ""


def _ended_before(st: dict, d: dict) -> str:
    """ "; its log ends 5 s before the others'"."""
    if (
        None in (d["last_epoch_us"], d["others_last_epoch_us"])
        or d["others_last_epoch_us"] <= d["last_epoch_us"]
    ):
        return ""
    return (
        f"; {_verb(st, 'its log ends', 'their logs end')}"
        f" {long_time(d['others_last_epoch_us'] - d['last_epoch_us'])} before the others'"
    )


def _ended(st: dict, d: dict) -> str:
    """ " Its log ends 5 s before the others'.\""""
    before = _ended_before(st, d)
    return f" {large(before[2:])}." if before else ""


def _called(d: dict) -> str:
    """ " It is called at `train.py:12`: `all_reduce(x)`.\""""
    return (
        f" It is called at {code(d['file'] + ':' + str(d['line']))}"
        + (f": {code(d['code'])}." if d["code"] else ".")
        if d.get("file")
        else ""
    )


def _problem(d: dict) -> str:
    """ "`TypeError`: message": the line of the message that says something."""
    message = first_line(taken_apart(d["text"])[0])
    kind = (d["type"] or "").rpartition(".")[2]
    return (
        code(": ".join(filter(None, [kind if not message.startswith(kind) else None, message])))
        if kind or message
        else "torch wrote no message"
    )


def _place(d: dict) -> str:
    return (
        f" at {code(tail(d['file']).rpartition('/')[2] + (':' + str(d['line']) if d['line'] else ''))}"
        if d["file"]
        else ""
    )


def _quoted(d: dict) -> str:
    return f": {code(first_line(d['text']))}" if d["text"] else ""


def _short_op(op: str) -> str:
    """An operation without what all of them have in common."""
    return re.sub(r"_?\.default$", "", re.sub(r"^torch\.ops\.(_c10d_functional\.|c10d\.)?", "", op))


def _tensor(tensor: dict | None) -> str:
    if tensor is None:
        return "nothing"
    parts = [
        (tensor["dtype"] or "").removeprefix("torch."),
        f"({', '.join(map(str, tensor['shape']))})" if tensor["shape"] is not None else None,
    ]
    return " ".join(filter(None, parts)) or "another tensor"


def _because(d: dict) -> str:
    inputs = d["inputs"] or []
    if inputs:
        first, *more = inputs
        what = (
            f"is {_tensor(first['here'])} instead of {_tensor(first['others'])}"
            if first["here"] and first["others"]
            else "exists here only"
            if first["here"]
            else "is missing"
        )
        return f", because input {code(first['name'])} {what}" + (
            f" (and {plural(len(more), 'more input')})" if more else ""
        )
    if not d["line"]:
        return ""
    lines = [_line(d["line"][side], d["line"]) for side in ("here", "others")]
    return f", first in line {d['line']['number']}: {lines[0]} instead of {lines[1]}"


def _line(text: str | None, line: dict) -> str:
    """A line of a graph: the code of the program where it is a comment that tells it, or the place where that
    is all that differs.
    """
    if text is None or not text.strip():
        return "no line" if text is None else "an empty line"
    told = [_TOLD.match((line[side] or "").strip()) for side in ("here", "others")]
    group = 1 if told[0] and told[1] and told[0][2] == told[1][2] else 2
    own = _TOLD.match(text.strip())
    return code(first_line(own[group] if own else text, 160))


def place_of(statement: dict, compiles: Sequence[dict]) -> tuple[str | None, str | None, int | None]:
    """(function, file, line) that a statement is about."""
    row = {} if statement["rank_compile"] is None else compiles[statement["rank_compile"]]
    details = statement["details"]
    if details.get("file"):
        return (
            row.get("function"),
            details["file"],
            details.get("line") if isinstance(details.get("line"), int) else None,
        )
    return row.get("function"), row.get("file"), row.get("first_line")


def known_ranks(present: Sequence[Sequence[int]], world_size: int | None) -> str:
    """Which ranks there are logs of, and whether that is all of them."""
    count = size(present)
    if (
        world_size is not None and present[-1][1] >= world_size
    ):  # logs of several jobs, or names of files that are no ranks of this one
        return f"{plural(count, 'rank')} (the logs tell of a job of {world_size:,})"
    if world_size is not None:
        return f"{count:,} of {world_size:,} ranks" if count < world_size else f"All {world_size:,} ranks"
    first, last = present[0][0], present[-1][1]
    return (
        f"Ranks {first} to {last}" if count == last - first + 1 and count > 1 else f"{plural(count, 'rank')}"
    )
