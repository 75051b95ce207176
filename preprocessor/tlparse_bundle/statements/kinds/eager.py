"""Functions that run eager from some point on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from tlparse_bundle.base.wording import code, first_line, function_name, large, listed, plural
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.break_groups import BreakGroup, break_groups, break_key
from tlparse_bundle.statements.empty_compiles import always_empty, is_skipped, partly_empty
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.failure_causes import break_of_functorch, failure_key, failures_by_cause
from tlparse_bundle.statements.failure_groups import breaks_by_frame, failures, is_suppressed
from tlparse_bundle.statements.finding import Finding, Remedy
from tlparse_bundle.statements.statement import KindReference

KINDS = ("runs-eager",)
REFERENCE = {
    "runs-eager": KindReference(
        title="Runs eager",
        meaning="Dynamo does not compile a function anymore: it cannot resume after a graph break in it, "
        "the compile failed with `suppress_errors`, a call had no tensor operation, "
        "or the program disabled it. For functions that hit "
        "the recompile limit, see `recompile-limit`.",
        fix="Fix the finding that it belongs to: the graph break or the failure. Do not call a compiled "
        "function where it has no tensor operation.",
        not_when="If the function does little tensor work, nothing is lost.",
    ),
}
_DISABLED = re.compile(  # torch 2.6 has other words
    r"Skip calling `torch\.compiler\.disable\(\)`d function|call torch\._dynamo\.disable\(\) wrapped function"
)
_WITHOUT_OPERATION = Remedy("Do not call the compiled function where it has no tensor operation.")
_NamedKey = tuple[FunctionKey, str | None]  # with the name, which a resume function has of its own
_NAME = re.compile(r"<(?:function|bound method) ([\w.<>]+)")


def findings(facts: Facts) -> Iterator[Finding]:
    for group in facts.once(break_groups).values():
        skipped = _skipped(facts, group)
        if skipped:
            yield _after_a_break(group, skipped, facts)
        rests = _rests(facts, group)
        if rests:
            yield _rest_after_a_break(group, rests, facts)
        if _DISABLED.match(group[0]["reason"]):
            yield from _disabled(group, facts)
    yield from _below_functorch(facts)
    yield from _without_operations(facts)
    yield from _never_compiled(facts)
    yield from _suppressed(facts)


def _skipped(facts: Facts, group: BreakGroup) -> dict[_NamedKey, int]:
    """Return the functions that Dynamo skips after a break of a group, with the attempt in which it did."""
    ids = {row["id"] for row in group if row["skipped_frame_count"]}
    skipped: dict[_NamedKey, int] = {}
    for record in facts.table("graph_break_records") if ids else ():
        if record["graph_break"] in ids and record["skips_frame"]:
            number = facts.number_of(record)
            skipped.setdefault(_named_key(facts, number), number)
    last = facts.once(_last_compiles)
    return {key: number for key, number in skipped.items() if last.get(key, -1) < number}


def _rests(facts: Facts, group: BreakGroup) -> dict[_NamedKey, int]:
    """Return the functions of which Dynamo compiles only the part before a break of a group, with the attempt
    in which it skipped the rest.
    """
    ids = {row["id"] for row in group}
    rests: dict[_NamedKey, int] = {}
    for number, id_ in facts.once(_attempts_without_rest).items():
        if id_ in ids:
            rests.setdefault(_named_key(facts, number), number)
    return rests


def _without_break(facts: Facts, group: BreakGroup, rests: Collection[_NamedKey]) -> list[str]:
    """Return the compiles of these functions that ended well, and came to no break of a group."""
    ids = {row["id"] for row in group}
    broken = {
        record["compile"] for record in facts.table("graph_break_records") if record["graph_break"] in ids
    }
    return [
        str(frame.row["compile"])
        for frame in facts.compiled
        if frame.row["status"] == "ok"
        and frame.row["compile"] not in broken
        and _named_key(facts, frame.rows[0]) in rests
    ]


def _attempts_without_rest(facts: Facts) -> dict[int, int]:
    """Return the attempts in which Dynamo skipped the rest of a function, with the id of the graph break."""
    records = facts.table("graph_break_records")
    return {facts.number_of(record): record["graph_break"] for record in records if record["skips_rest"]}


def _last_compiles(facts: Facts) -> dict[_NamedKey, int]:
    """Return the first attempt of the last compile of each function that ended well."""
    return {
        _named_key(facts, frame.rows[0]): frame.rows[0]
        for frame in facts.compiled
        if frame.row["status"] == "ok"
    }


def _named_key(facts: Facts, number: int) -> _NamedKey:
    return facts.function_key(number), facts.compiles[number]["function"]


def _rest_after_a_break(group: BreakGroup, rests: dict[_NamedKey, int], facts: Facts) -> Finding:
    names = [f"the last part of {function_name(name)}" for (_, name, _), _ in rests]
    whole = [code(f"[{one}]") for one in _without_break(facts, group, rests)]
    entries = "cache entry" if len(whole) == 1 else "cache entries"
    unless = f" Calls that fit the {entries} {listed(whole, 5)} do not come to this break." if whole else ""
    is_compiled = any(facts.compiles[number]["status"] == "ok" for number in rests.values())
    until = " It compiles the code up to the last line before it where it can stop." if is_compiled else ""
    return _finding(
        facts,
        names,
        f"Dynamo skips {'it' if len(names) == 1 else 'them'} after the graph break",
        f"Dynamo cannot resume after this graph break.{until}{unless}",
        list(rests.values()),
        ("rest", *names),
        break_key(group),
    )


def _after_a_break(group: BreakGroup, skipped: dict[_NamedKey, int], facts: Facts) -> Finding:
    names = [
        f"the rest of {function_name(key[1])}{_on_one_path(facts, key, full_name)}"
        if resume_function(full_name)
        else function_name(key[1])
        for key, full_name in skipped
    ]
    reasons = {
        tuple(first_line(more["reason"]) for more in row["followed_by"])
        for row in group
        if row["skipped_frame_count"]
    }
    one = len(names) == 1
    why = list(dict.fromkeys(reasons.pop())) if len(reasons) == 1 else []
    because = f" ({listed(why)})" if why else ""
    return _finding(
        facts,
        names,
        f"Dynamo skips {'it' if one else 'them'} after the graph break",
        f"Dynamo cannot resume after this graph break{because}, so it compiles only what"
        f" {'the function calls' if one else 'these functions call'}.",
        list(skipped.values()),
        ("skipped", *names),
        break_key(group),
    )


def _on_one_path(facts: Facts, key: FunctionKey, full_name: str | None) -> str:
    """Return " on one path" where a resume function of the same name compiles: each branch has its own."""
    return " on one path" if (key, full_name) in facts.once(_last_compiles) else ""


def _disabled(group: BreakGroup, facts: Facts) -> Iterator[Finding]:
    matches = (_NAME.search(row["explanation"] or row["reason"]) for row in group)
    names = sorted({function_name(match and match[1]) for match in matches})
    finding = _finding(
        facts,
        names,
        "the program disabled its compilation"
        if len(names) == 1
        else "the program disabled their compilation",
        "",
        [],
        ("disabled", *names),
        break_key(group),
    )
    finding.severity = "info"
    finding.events = [event for row in group for event in row["events"]]
    yield finding


def _below_functorch(facts: Facts) -> Iterator[Finding]:
    groups: dict[tuple[str, int], list[int]] = {}
    for failure in facts.once(failures):
        if (key := break_of_functorch(facts, failure)) is not None:
            groups.setdefault(key, []).append(failure.compile_index)
    for key, numbers in groups.items():
        names = list(dict.fromkeys(function_name(facts.function_key(number)[1]) for number in numbers))
        it = "it" if len(names) == 1 else "them"
        yield _finding(
            facts,
            names,
            f"`torch.func` calls {it} after the graph break",
            f"Dynamo compiles a function that `torch.func` transforms only as a part of its caller."
            f" The graph break stopped it from inlining {it}.",
            numbers,
            ("functorch", *names),
            key,
        )


def _without_operations(facts: Facts) -> Iterator[Finding]:
    """Yield the functions that Dynamo skips since a call without tensor operations (torch/_dynamo/
    symbolic_convert.py: SkipFrame), although earlier calls compiled.
    """
    broken = facts.once(breaks_by_frame)
    for ((_, function, _), name, _), number in facts.once(partly_empty).items():
        row = facts.compiles[number]
        if not is_skipped(row) or broken.get(facts.frame_key(row)):
            continue
        is_resumed = resume_function(name) is not None
        what = f"the rest of {function_name(function)}" if is_resumed else function_name(function)
        call = f"the call of `[{row['compile']}]`"
        finding = _finding(
            facts,
            [what],
            f"in {call} it has no tensor operation" if is_resumed else f"{call} has no tensor operation",
            "Dynamo skips a function after a call with nothing to compile. Later calls run eager, including"
            " those for which compiled code exists.",
            [number],
            ("empty", what),
            None,
        )
        finding.remedies = [] if is_resumed else [_WITHOUT_OPERATION]
        yield finding


def _never_compiled(facts: Facts) -> Iterator[Finding]:
    """Yield the functions of the program that Dynamo skips since their first call, which had no tensor
    operation (torch/_dynamo/symbolic_convert.py: SkipFrame).
    """
    for key, number in facts.once(always_empty).items():
        finding = _finding(
            facts,
            [function_name(key[1])],
            f"its first call, `[{facts.compiles[number]['compile']}]`, has no tensor operation",
            "Dynamo skips a function after a call with nothing to compile, so it never compiles later calls.",
            [number],
            ("empty", function_name(key[1])),
            None,
        )
        finding.severity = "info"
        finding.remedies = [_WITHOUT_OPERATION]
        yield finding


def _suppressed(facts: Facts) -> Iterator[Finding]:
    for group in facts.once(failures_by_cause):
        numbers = [
            failure.compile_index
            for failure in group
            if failure.phase in ("compile", "exception") and is_suppressed(facts, failure.compile_index)
        ]
        names = list(dict.fromkeys(function_name(facts.function_key(number)[1]) for number in numbers))
        if names:
            yield _finding(
                facts,
                names,
                "`suppress_errors` hid the error",
                f"Dynamo does not try to compile {'it' if len(names) == 1 else 'them'} again.",
                numbers,
                ("suppressed", *names),
                failure_key(group),
            )


def _finding(
    facts: Facts,
    names: list[str],
    why: str,
    text: str,
    attempts: list[int],
    cause: tuple[str, ...],
    because_of: tuple[str, int] | None,
) -> Finding:
    who = (
        f"{large(names[0])} runs eager" if len(names) == 1 else f"{plural(len(names), 'function')} run eager"
    )
    shown = names
    if len(names) == len(attempts):
        shown = [_placed(facts, name, number) for name, number in zip(names, attempts, strict=True)]
    texts = [f"Functions: {listed(shown, 5)}." if len(names) > 1 else None, text or None]
    return Finding(
        "runs-eager",
        "warning",
        f"{who}: {why}",
        cause,
        "\n\n".join(filter(None, texts)),
        facts.place_of(attempts[0]) if attempts else (None, None, None),
        attempts,
        [event for number in attempts if (event := facts.compiles[number]["first_event"]) is not None],
        count=len(names),
        because_of=because_of,
        details={"reason": cause[0], "functions": [name.strip("`") for name in names][:100]},
    )


def _placed(facts: Facts, name: str, number: int) -> str:
    """Return the name of a function, with its place where the log has others of that name."""
    file, function, line = facts.function_key(number)
    place = facts.short.place(file, line) if function in facts.once(_shared_names) else None
    return f"{name} ({code(place)})" if place else name


def _shared_names(facts: Facts) -> set[str | None]:
    keys = {facts.function_key(frame.rows[0]) for frame in facts.compiled}
    return {name for name, count in Counter(name for _, name, _ in keys).items() if count > 1}
