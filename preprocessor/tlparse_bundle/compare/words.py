"""The first sentence of a comparison: the first difference that has consequences, the consequences, seconds."""

from __future__ import annotations

from collections.abc import Sequence

from tlparse_bundle.findings.untold import TOPICS
from tlparse_bundle.findings.words import CACHES, code, duration, large, listed, plural

_MOST_CONSEQUENCES = 3
_NEARLY = 0.25  # of its cost: the whole took that much more, too
_MEASURED = 5  # compiles that tell how fast the machines were
_ELSE = 1.25  # how much faster or slower all compiles are, from which on it is said


def headline(logs: Sequence[dict], growing: Sequence[str] = ()) -> dict:
    """The summary: ``text``, numbers of changes, and ``notes`` that are no changes. ``growing``: sides of which a run goes on."""
    changes = [change for log in logs for change in log["changes"]]
    return {
        "text": _text(logs),
        "notes": [*([_goes_on(growing)] if growing else []), *_notes(logs)],
        "change_count": len(changes),
        "root_count": sum(change["because_of"] is None for change in changes),
    }


def _text(logs: Sequence[dict]) -> str:
    both = [log for log in logs if log["base"] and log["new"]]
    compiles = sum(len(log["compiles"]) for log in both)
    changed = [log for log in both if log["changes"]]
    apart = [sum(compile[side] is not None for log in both for compile in log["compiles"] if not (compile["base"] and compile["new"])) for side in ("base", "new")]
    if not changed and any(apart):
        return f"No change is known: {plural(apart[0], 'compile')} of the base run and {apart[1]:,} of the new run cannot be matched."
    if not changed:
        return f"Nothing changed: {plural(compiles, 'compile')}" + (f" in {plural(len(both), 'log')}" if len(both) > 1 else "") + ", the same on both sides."
    worst = max(changed, key=lambda log: log["changes"][0]["cost_us"] or 0)
    first = worst["changes"][0]
    total = _total(worst, first)
    led = _compiles(worst["changes"]) + [_short(change) for change in worst["changes"] if change["because_of"] == 0 and change["kind"] != "compile" and not (change["kind"] == "time" and total or first["kind"] == "vllm" and change["kind"] == "finding")]
    parts = [_first(first), *([listed(led, _MOST_CONSEQUENCES)] if led else []), *([total] if total else [])]
    alike = sum(any(identity(change) == identity(first) for change in log["changes"]) for log in both)
    where = "" if alike == len(both) or worst["rank"] is None else f"Rank {worst['rank']}: " if alike == 1 else f"Rank {worst['rank']} and {alike - 1:,} more: "
    more = len({identity(change) for log in both for change in log["changes"] if change["because_of"] is None}) - 1
    rest = f" {plural(more, 'other change')}." if more else ""
    return where + "; ".join(parts) + "." + rest


def identity(change: dict) -> tuple:
    """The same for the same change of another rank, however long it takes there."""
    about = (change["details"].get(name) for name in ("fingerprint", "config", "name", "cache", "base", "new", "span"))
    return change["kind"], change["change"], change["function"], change["file"], *about


def _first(change: dict) -> str:
    """The change with the word that tells its direction."""
    title = change["title"].rstrip(".")
    if change["kind"] == "finding":
        return f"{change['change'].capitalize()}: {title}"
    return large(title)


def _compiles(changes: Sequence[dict]) -> list[str]:
    """How many compiles the first change led to, and ended."""
    counts = {word: sum(change["count"] for change in changes if change["because_of"] == 0 and change["kind"] == "compile" and change["change"] == kind) for kind, word in (("new", "more"), ("gone", "less"))}
    return [f"{plural(count, 'compile')} {word}" for word, count in counts.items() if count]


def _short(change: dict) -> str:
    """A consequence in a few words."""
    if change["kind"] == "graph":
        return "another graph" if change["count"] == 1 else f"{change['count']:,} other graphs"
    if change["kind"] == "cache" and change["details"]["new"] == "miss":
        return f"{plural(change['count'], 'miss', 'misses')} of the {CACHES[change['details']['cache']]}"
    if change["kind"] == "finding" and change["details"]["kind"] == "recompile":
        return plural(change["count"], "recompile")
    return change["title"].partition(": ")[0] if change["kind"] in ("cache", "code", "vllm") else change["title"]


def _total(log: dict, first: dict) -> str | None:
    """The seconds, where the change has some that are more than noise."""
    cost = first["cost_us"]
    if cost is None or abs(cost) < log["noise"]["least_us"]:
        return None
    before, now = log["compile_time_us"]["base"], log["compile_time_us"]["new"]
    told = before is not None and now is not None and abs(now - before - cost) <= _NEARLY * abs(cost)  # else it would be a riddle: times of what did not change vary too
    whole = f" ({duration(before)} to {duration(now)} in all)" if told else ""
    return f"{duration(abs(cost))} {'more' if cost > 0 else 'less'} of compiling{whole}"


def _goes_on(sides: Sequence[str]) -> str:
    runs = f"The {sides[0]} run goes on" if len(sides) == 1 else "Both runs go on"
    return f"{runs}: this is what the logs held when they were compared. Compare again for what came since."


def _notes(logs: Sequence[dict]) -> list[str]:
    notes = []
    for log in logs:
        if log["base"] is None or log["new"] is None:
            name = f"rank {log['rank']}: " if log["rank"] is not None else ""
            side, other = ("new", "base") if log["base"] is None else ("base", "new")
            notes.append(f"{name}log {code(log[side]['id'])} has no counterpart in the {other} run.")
    sides = {side: [topic for topic in TOPICS if any(topic in log[side]["untold"] for log in logs if log["base"] and log["new"])] for side in ("base", "new")}
    for side, missing in sides.items():
        if missing and (side == "base" or missing != sides["base"]):
            run = "both runs" if sides["base"] == sides["new"] else f"the {side} run"
            names = " Without names of functions its compiles are not matched with the others." if "function_names" in missing and sides["base"] != sides["new"] else ""
            notes.append(f"The torch of {run} does not write {listed([TOPICS[topic] for topic in missing], len(TOPICS))}: what of these is new or gone, the logs do not tell.{names}")
    for side, change, other in (("base", "new", "new"), ("new", "gone", "base")):
        early = [log for log in logs if log["base"] and log["new"] and log[side]["ends_early"] and (log[side]["ends_early"] != log[other]["ends_early"] or any(row[side] is None for row in log["compiles"]))]
        if early:
            whys = list(dict.fromkeys(log[side]["ends_early"] for log in early))
            notes.append(f"In the {side} run {listed(whys)}: what only the {other} run has may come behind that, and is not told as {change}.")
    noises = [log["noise"] for log in logs if log["noise"]]
    speeds = sorted(noise["speed"] for noise in noises if noise["measured"] >= _MEASURED and not 1 / _ELSE < noise["speed"] < _ELSE)
    if speeds:
        versions = {log[side]["torch_version"] for log in logs if log["base"] and log["new"] for side in ("base", "new")}
        reason = "The machine" if len(versions) == 1 else "Another version of torch, or the machine,"
        low, high = (f"{speed:.2g}" for speed in (speeds[0], speeds[-1]))
        where = "" if len(noises) == 1 else f" in {plural(len(speeds), 'log')} of {len(noises):,}"
        notes.append(f"Compiles that did not change took {low if low == high else f'{low} to {high}'} times as long{where}. {reason} may be the reason; several runs of each side tell.")
    return notes
