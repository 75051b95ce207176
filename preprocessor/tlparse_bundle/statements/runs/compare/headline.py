"""The first sentences of a comparison: the net result, what explains it, and how many other changes there
are.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.base.wording import code, duration, large, listed, plural
from tlparse_bundle.statements.not_recorded import TOPICS
from tlparse_bundle.statements.runs.compare.change import cost_text
from tlparse_bundle.statements.runs.compare.net_result import Net, Root, is_new_error, net
from tlparse_bundle.statements.torch_messages import CACHES

_MOST_CONSEQUENCES = 3
_MOST_REASONS = 2
_MEASURED = 5  # compiles that show how fast the machines were
_ELSE = 1.25  # how much faster or slower all compiles are, from which on it is said
_NEARLY = 0.1  # of the net difference: a change of that cost needs no figure of its own
_NAMES = {
    "compiles": "compiles", "functions": "functions", "graph_breaks": "graph breaks", "recompiles": "recompiles", "recompile_limits": "functions at the recompile limit", "restarts": "restarts",
    "failures": "failures", "unfinished": "unfinished compiles", "generated_codes": "files of generated code",
    **{f"{cache}_{outcome}": f"{CACHES[cache]} {outcome}" for cache in ("fx_graph", "aot_autograd") for outcome in ("hits", "misses", "bypasses")},
}  # fmt: skip


def summary(logs: Sequence[dict], growing: Sequence[str] = ()) -> dict:
    """The summary of a comparison (see the schema). ``growing``: sides of which a run goes on."""
    changes = [change for log in logs for change in log["changes"]]
    found = net(logs)
    return {
        "text": _text(found, logs),
        "verdict": found.verdict,
        "net_us": found.net_us,
        "compile_us": None if found.total_us is None else dict(zip(("base", "new"), found.total_us)),
        "reason": found.reason,
        "notes": [*([_goes_on(growing)] if growing else []), *_notes(found, logs)],
        "change_count": len(changes),
        "root_count": sum(change["because_of"] is None for change in changes),
    }


def _text(found: Net, logs: Sequence[dict]) -> str:
    both = [log for log in logs if log["base"] and log["new"]]
    compiles = [compile for log in both for compile in log["compiles"]]
    where = f" in {_logs(both)}" if len(both) > 1 else ""
    alike = f"{plural(len(compiles), 'compile')}{where}, the same on both sides"
    if found.verdict == "same":
        return f"No changes: {alike}."
    if found.verdict == "noise":
        return (
            f"No change beyond run-to-run noise: {plural(len(compiles), 'compile')}{where}, {_totals(found)}."
        )
    unmatched = [
        sum(compile[side] is not None and compile[other] is None for compile in compiles)
        for side, other in (("base", "new"), ("new", "base"))
    ]
    shown = _shown(found)
    lead = _lead(found, both)
    alone = len(logs) - len(both)
    sentences = [lead] if lead else []
    sentences += [f"{plural(alone, 'log has', 'logs have')} no counterpart"] if alone else []
    if shown:
        first, *others = _reasons(found, shown, both)
        sentences = (
            [f"{lead}: {first}", *sentences[1:]]
            if found.reason == "changes" and ": " not in first
            else [*sentences, large(first)]
        )
        sentences += map(large, others)
        more = len(found.roots) - len(shown)
        sentences += [plural(more, "other change")] if more else []
    elif any(unmatched):
        sentences.append(
            f"No change is known: {plural(unmatched[0], 'compile')} of the base run and {unmatched[1]:,} of"
            " the new run cannot be matched"
        )
    elif found.different:
        sentences.append(
            "No single change is known, but these numbers differ:"
            f" {listed([_count(row) for row in found.different], len(_NAMES))}"
        )
    elif found.verdict == "incomplete":
        sentences.append("No changes up to there")
    else:
        sentences.append(f"No other change: {alike}")
    return ". ".join(sentences) + "."


def _lead(found: Net, both: Sequence[dict]) -> str:
    """The difference of the totals; empty where they cannot be compared, or there is nothing to say of them."""
    if found.verdict == "incomplete":
        sides = {
            side: [log[side]["ends_early"] for log in both if log[side]["ends_early"]]
            for side in ("base", "new")
        }
        whys = [
            f"in the {side} run {listed(list(dict.fromkeys(found_whys)))}"
            for side, found_whys in sides.items()
            if found_whys
        ]
        return f"Totals cannot be compared: {listed(whys)}"
    if found.net_us is None or found.verdict == "unknown":
        return ""
    where = f" over {_logs(both)}" if len(both) > 1 else ""
    if found.verdict == "changed":
        return f"No net change in compile time beyond run-to-run noise{where} ({_totals(found)})"
    why = (
        f": {_speed(both)}"
        if found.reason == "speed"
        else ", which no single change explains"
        if found.reason == "unknown"
        else ""
    )
    return f"{duration(abs(found.net_us))} {found.verdict} compile time{where} ({_totals(found)}){why}"


def _logs(both: Sequence[dict]) -> str:
    return plural(len(both), "log" if any(log["rank"] is None for log in both) else "rank")


def _totals(found: Net) -> str:
    return " → ".join(map(duration, found.total_us or ()))


def _shown(found: Net) -> list[Root]:
    """The changes that the first line names: a new error, the largest in the direction of the net result, and
    the largest against it; otherwise the first one.
    """
    if found.net_us is None or found.verdict not in ("more", "less"):
        return list(found.roots[:1])
    more = found.net_us > 0
    named = [*found.parts(more)[:_MOST_REASONS], *found.parts(not more)[:1]]
    error = [
        root
        for root in found.roots[:1]
        if is_new_error(root.change) and not any(root is one for one in named)
    ]
    return [*error, *named] or list(found.roots[:1])


def _reasons(found: Net, shown: Sequence[Root], both: Sequence[dict]) -> list[str]:
    """A sentence for each change, the first one with what it led to."""
    alone = len(shown) == 1
    sentences = []
    for root in shown:
        led = (
            [
                *_compiles(root),
                *(
                    _short(change)
                    for change in _led(root)
                    if change["kind"] not in ("compile", "time")
                    and not (root.change["kind"] == "vllm" and change["kind"] in ("finding", "cache"))
                ),
            ]
            if root is shown[0]
            else []
        )
        told = (
            alone
            and found.net_us is not None
            and found.reason == "changes"
            and root.cost_us is not None
            and abs(root.cost_us - found.net_us) <= _NEARLY * abs(found.net_us)
        )
        about = [
            *([] if told or not root.cost_us else [cost_text(root.cost_us)]),
            *_ranks(root, both),
        ]
        sentences.append(
            _phrase(root.change, found.net_us is None, len(both) > 1)
            + (f" ({' '.join(about)})" if about else "")
            + (f"; {listed(led, _MOST_CONSEQUENCES)}" if led else "")
        )
    return sentences


def _ranks(root: Root, both: Sequence[dict]) -> list[str]:
    """On which ranks the change is, where there are several."""
    if len(root.logs) == len(both):
        return [f"over {_logs(both)}"] if len(both) > 1 and root.cost_us else []
    if len(root.logs) == 1 and root.log["rank"] is not None:
        return [f"on rank {root.log['rank']}"]
    return [f"{'in' if root.log['rank'] is None else 'on'} {len(root.logs):,} of {_logs(both)}"]


def _phrase(change: dict, untimed: bool, several: bool) -> str:
    """The change with the word that gives its direction.

    ``untimed``: no total says how long it took; ``several``: logs, of which the title gives the times of one.
    """
    title = change["title"].rstrip(".")
    if change["kind"] == "finding":
        return f"{change['change'].capitalize()}: {title}"
    if change["kind"] == "cache" and change["change"] == "better":
        before = change["details"]["base"]
        return (
            f"{CACHES[change['details']['cache']]}: {plural(change['count'], 'hit')} instead of"
            f" {f'a {before}' if change['count'] == 1 else _OUTCOMES[before]}"
        )
    if change["kind"] == "time" and several:
        return (
            f"{title.partition(' takes ')[0]} takes {'more' if change['change'] == 'worse' else 'less'} time"
        )
    return title.partition(": ")[0] if change["kind"] == "vllm" and (several or not untimed) else title


_OUTCOMES = {"miss": "misses", "bypass": "bypasses", "hit": "hits"}


def _led(root: Root) -> list[dict]:
    return [change for change in root.log["changes"] if change["because_of"] == root.number]


def _compiles(root: Root) -> list[str]:
    """How many compiles a change led to, and ended."""
    counts = {
        word: sum(
            change["count"]
            for change in _led(root)
            if change["kind"] == "compile" and change["change"] == kind
        )
        for kind, word in (("new", "more"), ("gone", "fewer"))
    }
    return [
        f"{count:,} {word} {'compile' if count == 1 else 'compiles'}"
        for word, count in counts.items()
        if count
    ]


def _short(change: dict) -> str:
    """A consequence in a few words."""
    if change["kind"] == "graph":
        return "a different graph" if change["count"] == 1 else f"{change['count']:,} different graphs"
    if change["kind"] == "cache":
        outcome = change["details"]["new"]
        return plural(
            change["count"],
            f"{CACHES[change['details']['cache']]} {outcome}",
            f"{CACHES[change['details']['cache']]} {_OUTCOMES[outcome]}",
        )
    if change["kind"] == "finding" and change["details"]["kind"] == "recompile":
        return (
            plural(change["count"], "recompile")
            if change["change"] in ("new", "worse")
            else f"{change['count']:,} fewer {'recompile' if change['count'] == 1 else 'recompiles'}"
        )
    return change["title"].partition(": ")[0] if change["kind"] in ("code", "vllm") else change["title"]


def _count(row: dict) -> str:
    return f"{_NAMES[row['name']]} {row['base']:,} → {row['new']:,}"


def _speed(both: Sequence[dict]) -> str:
    """What the compiles that did not change took."""
    sums = [sum(log["unchanged_us"][side] for log in both) for side in ("base", "new")]
    times = "unchanged compiles " + (
        f"took {_factor(sums[1] / sums[0])} as long"
        if sums[1] > sums[0] > 0
        else f"ran {_factor(sums[0] / sums[1])} faster"
        if sums[1]
        else "took no time"
    )
    return times + (
        f", so {_blamed(both)} differs" if sum(log["noise"]["measured"] for log in both) >= _MEASURED else ""
    )


def _factor(number: float) -> str:
    return f"{number:.2g}×" if number < 10 else f"{number:.0f}×"


def _blamed(logs: Sequence[dict]) -> str:
    """What makes all compiles faster or slower, as far as the logs show."""
    same = len({log[side]["torch_version"] for log in logs for side in ("base", "new")}) == 1
    return "the machine probably" if same else "the version of torch or the machine"


def _goes_on(sides: Sequence[str]) -> str:
    runs = f"The {sides[0]} run goes on" if len(sides) == 1 else "Both runs go on"
    return f"{runs}: this is what the logs held when they were compared. Compare again for what came since."


def _notes(found: Net, logs: Sequence[dict]) -> list[str]:
    notes = []
    for log in logs:
        if log["base"] is None or log["new"] is None:
            name = f"rank {log['rank']}: " if log["rank"] is not None else ""
            side, other = ("new", "base") if log["base"] is None else ("base", "new")
            notes.append(f"{name}log {code(log[side]['id'])} has no counterpart in the {other} run.")
    sides = {
        side: [
            topic
            for topic in TOPICS
            if any(topic in log[side]["untold"] for log in logs if log["base"] and log["new"])
        ]
        for side in ("base", "new")
    }
    for side, missing in sides.items():
        if missing and (side == "base" or missing != sides["base"]):
            run = "both runs" if sides["base"] == sides["new"] else f"the {side} run"
            names = (
                " Without names of functions its compiles are not matched with the others."
                if "function_names" in missing and sides["base"] != sides["new"]
                else ""
            )
            notes.append(
                f"The torch of {run} does not write"
                f" {listed([TOPICS[topic] for topic in missing], len(TOPICS))}: what of these is new or gone,"
                f" the logs do not tell.{names}"
            )
    for side, change, other in (("base", "new", "new"), ("new", "gone", "base")):
        early = [
            log
            for log in logs
            if log["base"]
            and log["new"]
            and log[side]["ends_early"]
            and (
                log[side]["ends_early"] != log[other]["ends_early"]
                or any(row[side] is None for row in log["compiles"])
            )
        ]
        if early:
            whys = list(dict.fromkeys(log[side]["ends_early"] for log in early))
            notes.append(
                f"In the {side} run {listed(whys)}: what only the {other} run has may come behind that, and"
                f" is not told as {change}."
            )
    compared = [log for log in logs if log["base"] and log["new"]]
    for side, other in (("base", "new"), ("new", "base")):
        silent = [
            log
            for log in compared
            if log["compile_us"][side] is None and log["compile_us"][other] is not None
        ]
        if silent and found.verdict != "incomplete":
            notes.append(f"The {side} run records no compile time, so the totals cannot be compared.")
    speeds = sorted(
        log["noise"]["speed"]
        for log in compared
        if log["noise"]["measured"] >= _MEASURED and not 1 / _ELSE < log["noise"]["speed"] < _ELSE
    )
    by_step = any(
        root.change["kind"] == "time" for root in found.roots
    )  # a step of the compiler that takes longer makes all compiles slower
    if found.reason == "speed":
        notes.append("Compare several runs per side to be sure.")
    elif speeds and not by_step:
        times = [
            f"ran {_factor(1 / speed)} faster" if speed < 1 else f"took {_factor(speed)} as long"
            for speed in dict.fromkeys((speeds[0], speeds[-1]))
        ]
        where = "" if len(compared) == 1 else f" in {plural(len(speeds), 'log')} of {len(compared):,}"
        notes.append(
            f"Unchanged compiles {' to '.join(dict.fromkeys(times))}{where}, so {_blamed(compared)} differs."
            " Compare several runs per side to be sure."
        )
    return notes
