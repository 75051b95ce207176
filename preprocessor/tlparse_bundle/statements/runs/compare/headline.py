"""The headline of a comparison: the net result, its main causes and the number of other changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tlparse_bundle.base.wording import code, duration, large, length, listed, plural
from tlparse_bundle.statements.not_recorded import TOPICS
from tlparse_bundle.statements.runs.compare.change import (
    OTHER_SIDE,
    SIDES,
    AnyLog,
    ChangeRow,
    ComparedLog,
    CountRow,
    Side,
    Summary,
    compared,
    cost_text,
)
from tlparse_bundle.statements.runs.compare.net_result import (
    OUTCOMES,
    WORDS,
    Net,
    Root,
    is_new_error,
    net_result,
)
from tlparse_bundle.statements.runs.compare.run_times import run_time_notes
from tlparse_bundle.statements.torch_messages import CACHES

_MOST_CONSEQUENCES = 3
_MAX_TITLE = 80
_MAX_HEADLINE = 120  # characters
# Dropped in this order. All are in the changes, the counts or the notes of the document, too.
_DETAILS = (
    "other causes", "effects", "ranks", "totals", "reasons for early ends", "costs", "reasons", "places",
    "size", "logs", "counterparts", "unexplained",
)  # fmt: skip
_PLACE = re.compile(r" \([^() ]*:\d+\)")
_MOST_COUNTS = 2
_UNEXPLAINED = "no single change explains"
_MOST_REASONS = 2
_MEASURED = 5  # the least number of compiles to compare the speeds of machines
_MIN_SPEED = 1.25  # the least factor between the speeds of two machines that a note reports
_NEARLY = 0.1  # of the net difference: a cause whose cost is that close is shown without it


def summary(logs: Sequence[AnyLog], growing: Sequence[str] = ()) -> Summary:
    """Return the summary of a comparison (see the schema). ``growing``: sides still being recorded."""
    changes = [change for log in logs for change in log["changes"]]
    net = net_result(logs)
    variants = [*((_DETAILS[number:], False) for number in range(len(_DETAILS) + 1)), ((), True)]
    texts = (_text(net, logs, details, short=short) for details, short in variants)
    text = next(texts)
    while length(text) > _MAX_HEADLINE and (shorter := next(texts, None)) is not None:
        text = shorter
    return {
        "text": text,
        "verdict": net.verdict,
        "net_us": net.net_us,
        "compile_us": None if net.total_us is None else {"base": net.total_us[0], "new": net.total_us[1]},
        "reason": net.reason,
        "notes": [*([_growing_note(growing)] if growing else []), *_left_out(net, text), *_notes(net, logs)],
        "change_count": len(changes),
        "root_count": sum(change["because_of"] is None for change in changes),
    }


def _text(net: Net, logs: Sequence[AnyLog], details: Sequence[str], *, short: bool = False) -> str:
    """Return the headline with some details. ``short``: the first cause without its last clause."""
    both = compared(logs)
    compiles = plural(sum(len(log["compiles"]) for log in both), "compile")
    where = f" in {_logs(both)}" if len(both) > 1 else ""
    alike = f"{compiles}{where}, the same on both sides"
    if net.verdict == "same":
        return f"No changes: {alike}."
    if net.verdict == "noise":
        return f"No change beyond run-to-run noise. {compiles}{where}, {_totals(net)}."
    lead = _lead(net, both, details)
    alone = len(logs) - len(both)
    is_shown = alone and "counterparts" in details
    counterparts = [f"{plural(alone, 'log has', 'logs have')} no counterpart"] if is_shown else []
    shown = _shown(net)[: None if "other causes" in details else 1]
    if not shown:
        return _joined([lead, *counterparts, _no_change(net, both, alike if "size" in details else "")])
    first, *others = _reasons(net, shown, both, details)
    if short:
        first = first.partition(": ")[0]
    more = len(net.roots) - len(shown)
    rest = [*map(large, others), *([plural(more, "other change")] if more else [])]
    if net.reason == "changes" and ": " not in first:
        return _joined([f"{lead}: {first}", *counterparts, *rest])
    return _joined([lead, *counterparts, large(first), *rest])


def _joined(sentences: Sequence[str]) -> str:
    return ". ".join(filter(None, sentences)) + "."


def _no_change(net: Net, both: Sequence[ComparedLog], alike: str) -> str:
    """Return a sentence for a comparison without changes."""
    unmatched = {
        side: sum(
            compile[side] is not None and compile[OTHER_SIDE[side]] is None
            for log in both
            for compile in log["compiles"]
        )
        for side in SIDES
    }
    if any(unmatched.values()):
        return (
            f"No known change: {plural(unmatched['base'], 'compile')} of the base run and"
            f" {unmatched['new']:,} of the new run cannot be matched"
        )
    if net.different:
        return (
            "No known change, but these counts differ:"
            f" {listed([_count(row) for row in net.different], _MOST_COUNTS)}"
        )
    if net.verdict == "incomplete":
        return "No changes up to that point"
    return f"No other change: {alike}" if alike else "No other change"


def _lead(net: Net, both: Sequence[ComparedLog], details: Sequence[str]) -> str:
    """Return the difference of the totals; empty if unknown."""
    if net.verdict == "incomplete":
        why = f": {listed(list(_early_ends(both)))}" if "reasons for early ends" in details else ""
        return f"Totals cannot be compared{why}"
    if net.net_us is None or net.verdict == "unknown":
        return ""
    where = f" over {_logs(both)}" if len(both) > 1 and "logs" in details else ""
    totals = f" ({_totals(net)})" if "totals" in details else ""
    if net.verdict == "changed":
        return f"Compile time within run-to-run noise{where}{totals}"
    is_unexplained = net.reason == "unknown" and "unexplained" in details
    why = f", which {_UNEXPLAINED}" if is_unexplained else ""
    if net.reason == "speed":
        why = f": {_unchanged_speed(both)}"
    return f"{duration(abs(net.net_us))} {net.verdict} compile time{where}{totals}{why}"


def _early_ends(both: Sequence[ComparedLog]) -> Iterator[str]:
    for side in SIDES:
        whys = [why for log in both if (why := log[side]["ends_early"])]
        if whys:
            yield f"in the {side} run, {listed(list(dict.fromkeys(whys)))}"


def _logs(both: Sequence[ComparedLog]) -> str:
    return plural(len(both), "log" if any(log["rank"] is None for log in both) else "rank")


def _totals(net: Net) -> str:
    return " → ".join(map(duration, net.total_us or ()))


def _shown(net: Net) -> list[Root]:
    """Return the changes to name: a new error, the largest for and against the net result; else the first."""
    if net.net_us is None or net.verdict not in ("more", "less"):
        return list(net.roots[:1])
    more = net.net_us > 0
    named = [*net.parts(more)[:_MOST_REASONS], *net.parts(not more)[:1]]
    error = [
        root for root in net.roots[:1] if is_new_error(root.change) and not any(root is one for one in named)
    ]
    return [*error, *named] or list(net.roots[:1])


def _reasons(
    net: Net, shown: Sequence[Root], both: Sequence[ComparedLog], details: Sequence[str]
) -> list[str]:
    """Return a sentence for each change, the first one with its effects."""
    sentences = []
    for root in shown:
        led = _consequences(root) if root is shown[0] and "effects" in details else []
        has_cost = root.cost_us and "costs" in details and not _explains(net, root, shown)
        cost = [cost_text(root.cost_us or 0)] if has_cost else []
        about = " ".join([*cost, *(_ranks(root, both) if "ranks" in details else [])])
        phrase = _phrase(root.change, net.net_us is None, len(both) > 1)
        if "reasons" not in details:
            phrase = _without_reason(phrase)
        if "places" not in details:
            phrase = _PLACE.sub("", phrase)
        sentences.append(
            phrase
            + (f" ({about})" if about else "")
            + (f"; {listed(led, _MOST_CONSEQUENCES)}" if led else "")
        )
    return sentences


def _explains(net: Net, root: Root, shown: Sequence[Root]) -> bool:
    """Return whether a change accounts for the whole net result, whose number is shown already."""
    return (
        len(shown) == 1
        and net.net_us is not None
        and net.reason == "changes"
        and root.cost_us is not None
        and abs(root.cost_us - net.net_us) <= _NEARLY * abs(net.net_us)
    )


def _ranks(root: Root, both: Sequence[ComparedLog]) -> list[str]:
    """Return on which ranks a change is, if there are several."""
    if len(root.logs) == len(both):
        return [f"over {_logs(both)}"] if len(both) > 1 and root.cost_us else []
    if len(root.logs) == 1 and root.log["rank"] is not None:
        return [f"on rank {root.log['rank']}"]
    return [f"{'in' if root.log['rank'] is None else 'on'} {len(root.logs):,} of {_logs(both)}"]


def _phrase(change: ChangeRow, untimed: bool, several: bool) -> str:
    """Return the title of a change with its direction, without times that totals or other logs contradict."""
    kind, title = change["kind"], change["title"].rstrip(".")
    if kind == "finding":
        return f"{change['change'].capitalize()}: {_short_title(title)}"
    if kind == "time" and several:
        more = "more" if change["change"] == "worse" else "less"
        return f"{title.partition(' takes ')[0]} takes {more} time"
    return title.partition(": ")[0] if kind == "vllm" and (several or not untimed) else title


def _short_title(title: str) -> str:
    """Return a title of a finding, without its last clause if it is long."""
    return title if len(title) <= _MAX_TITLE else title.partition(": ")[0].partition(", in ")[0]


def _without_reason(phrase: str) -> str:
    """Return "Kind: what" of "Kind: what: why"."""
    what = phrase.rpartition(": ")[0]
    return what if ": " in what else phrase


def _consequences(root: Root) -> list[str]:
    """Return the effects of a change in a few words each."""
    led = [change for change in root.log["changes"] if change["because_of"] == root.number]
    words = []
    for direction, more in (("new", "more"), ("gone", "fewer")):
        compiles = [change for change in led if (change["kind"], change["change"]) == ("compile", direction)]
        count = sum(change["count"] for change in compiles)
        if count:
            words.append(f"{count:,} {more} {'compile' if count == 1 else 'compiles'}")
    left_out = {"compile", "time", *(("finding", "cache") if root.change["kind"] == "vllm" else ())}
    return [*words, *(_short(change) for change in led if change["kind"] not in left_out)]


def _short(change: ChangeRow) -> str:
    """Return an effect in a few words."""
    kind, count = change["kind"], change["count"]
    if kind == "graph":
        return "a different graph" if count == 1 else f"{count:,} different graphs"
    if kind == "cache":
        cache, outcome = CACHES[change["details"]["cache"]], change["details"]["new"]
        return plural(count, f"{cache} {outcome}", f"{cache} {OUTCOMES[outcome]}")
    if kind == "finding" and change["details"]["kind"] == "recompile":
        if change["change"] in ("new", "worse"):
            return plural(count, "recompile")
        return f"{count:,} fewer {'recompile' if count == 1 else 'recompiles'}"
    return change["title"].partition(": ")[0] if kind in ("code", "vllm") else change["title"]


def _count(row: CountRow) -> str:
    return f"{WORDS[row['name']]} {row['base']:,} → {row['new']:,}"


def _unchanged_speed(both: Sequence[ComparedLog]) -> str:
    """Return how much faster or slower the unchanged compiles ran."""
    base, new = (sum(log["unchanged_us"][side] for log in both) for side in SIDES)
    if new > base > 0:
        times = f"ran {_factor(new / base)} slower"
    else:
        times = f"ran {_factor(base / new)} faster" if new else "took no time"
    why = f", so {_blamed(both)} differs" if _is_measured(both) and _same_torch(both) else ""
    return f"unchanged compiles {times}{why}"


def _is_measured(both: Sequence[ComparedLog]) -> bool:
    return sum(log["noise"]["measured"] for log in both) >= _MEASURED


def _factor(number: float) -> str:
    return f"{number:.2g}×" if number < 10 else f"{number:.0f}×"


def _blamed(both: Sequence[ComparedLog]) -> str:
    """Return what probably makes all compiles faster or slower."""
    return "the machine probably" if _same_torch(both) else "torch or the machine"


def _same_torch(both: Sequence[ComparedLog]) -> bool:
    return len({log[side]["torch_version"] for log in both for side in SIDES}) == 1


def _growing_note(sides: Sequence[str]) -> str:
    runs = f"The {sides[0]} run is" if len(sides) == 1 else "Both runs are"
    return f"{runs} still being recorded. Compare again to include later records."


def _left_out(net: Net, text: str) -> Iterator[str]:
    """Yield the numbers that the headline has no room for and that no change shows."""
    if net.verdict in ("more", "less", "changed") and (totals := _totals(net)) not in text:
        yield f"Total compile time: {totals}."
    if net.reason == "unknown" and _UNEXPLAINED not in text:
        yield f"{large(_UNEXPLAINED)} the difference."
    if not net.roots and len(net.different) > _MOST_COUNTS:
        yield f"Different counts: {listed([_count(row) for row in net.different], len(WORDS))}."


def _notes(net: Net, logs: Sequence[AnyLog]) -> list[str]:
    """Return the notes: facts about the comparison that are not changes."""
    both = compared(logs)
    return [
        *_without_counterpart(logs),
        *_not_recorded(both),
        *_ending_early(both),
        *(_untimed(both) if net.verdict != "incomplete" else ()),
        *_speed_notes(net, both),
        *run_time_notes(both),
    ]


def _without_counterpart(logs: Sequence[AnyLog]) -> Iterator[str]:
    for log in logs:
        for side in SIDES:
            own = log[side]
            if own is not None and log[OTHER_SIDE[side]] is None:
                name = f"rank {log['rank']}: " if log["rank"] is not None else ""
                yield f"{name}log {code(own['id'])} has no counterpart in the {OTHER_SIDE[side]} run."


def _not_recorded(both: Sequence[ComparedLog]) -> Iterator[str]:
    missing = {
        side: [topic for topic in TOPICS if any(topic in log[side]["not_recorded"] for log in both)]
        for side in SIDES
    }
    equal = missing["base"] == missing["new"]
    for side, topics in missing.items():
        if topics and (side == "base" or not equal):
            names = (
                " Without function names, its compiles are not matched."
                if "function_names" in topics and not equal
                else ""
            )
            yield (
                f"The torch version of {'both runs' if equal else f'the {side} run'} does not log"
                f" {listed([TOPICS[topic] for topic in topics], len(TOPICS))}, so changes in these are not"
                f" reported.{names}"
            )


def _ending_early(both: Sequence[ComparedLog]) -> Iterator[str]:
    changes: tuple[tuple[Side, str], ...] = (("base", "new"), ("new", "gone"))
    for side, change in changes:
        other = OTHER_SIDE[side]
        whys = [
            why
            for log in both
            if (why := log[side]["ends_early"])
            and (why != log[other]["ends_early"] or any(row[side] is None for row in log["compiles"]))
        ]
        if whys:
            yield (
                f"In the {side} run, {listed(list(dict.fromkeys(whys)))}. Anything that only the {other} run"
                f" has may come after that, so it is not reported as {change}."
            )


def _untimed(both: Sequence[ComparedLog]) -> Iterator[str]:
    for side in SIDES:
        times = ((log["compile_us"][side], log["compile_us"][OTHER_SIDE[side]]) for log in both)
        if any(own is None and other is not None for own, other in times):
            yield f"The {side} run records no compile time, so the totals cannot be compared."


def _speed_notes(net: Net, both: Sequence[ComparedLog]) -> Iterator[str]:
    """Yield notes about the speed of the machines."""
    if net.reason == "speed":
        # With one version of torch, the headline says it.
        differs = f"{large(_blamed(both))} differs. " if _is_measured(both) and not _same_torch(both) else ""
        yield f"{differs}Compare several runs per side to be sure."
        return
    speeds = sorted(
        log["noise"]["speed"]
        for log in both
        if log["noise"]["measured"] >= _MEASURED and not 1 / _MIN_SPEED < log["noise"]["speed"] < _MIN_SPEED
    )
    # A step of the compiler that takes longer makes all compiles slower.
    if speeds and not any(root.change["kind"] == "time" for root in net.roots):
        times = [
            f"ran {_factor(1 / speed)} faster" if speed < 1 else f"ran {_factor(speed)} slower"
            for speed in dict.fromkeys((speeds[0], speeds[-1]))
        ]
        where = "" if len(both) == 1 else f" in {plural(len(speeds), 'log')} of {len(both):,}"
        yield (
            f"Unchanged compiles {' to '.join(dict.fromkeys(times))}{where}, so {_blamed(both)} differs."
            " Compare several runs per side to be sure."
        )
