"""The cache entry that came nearest to fit a call, where torch's first reason is not all that failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, first_line, listed, plural, shortened
from tlparse_bundle.guards.code_history import EXPRESSIONS, VALUES
from tlparse_bundle.guards.inputs import is_of_module, local_name, owners_of
from tlparse_bundle.guards.nearest import STATES
from tlparse_bundle.guards.predicates import LENGTHS
from tlparse_bundle.guards.tensor_patterns import tensor_pattern
from tlparse_bundle.statements.clearer_reasons import NOT_FOUND
from tlparse_bundle.statements.dispatch_keys import is_of_transforms
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.guard_changes import SIZE, shown_guard, source_name
from tlparse_bundle.statements.recompile_causes import Cause, actual_values, requested_recompiles
from tlparse_bundle.statements.rows_by_compile import guards_of
from tlparse_bundle.statements.tensor_changes import is_of_keys, of_same_tensor

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GuardFailuresRow, GuardsRow, RecompileReasonsRow

_KINDS = {
    "TENSOR_MATCH": "tensor",
    "ID_MATCH": "the identity of",
    "TYPE_MATCH": "the type of",
    "CLASS_MATCH": "the type of",
}
# The order in which torch checks an object (torch/csrc/dynamo/guards.cpp).
_CHECKED = {
    "type": 0,
    **dict.fromkeys(("dispatch_keys", "dtype", "device", "requires_grad"), 1),
    **dict.fromkeys(("keys", "length", "value"), 1),
    "rank": 2,
    **dict.fromkeys(("size", "stride"), 3),
}
# Of guards that torch's reason describes in other words.
_OWN_KINDS = {"aliasing": "NO_TENSOR_ALIASING", "global_state": "GLOBAL_STATE"}
_BESIDE = ("DIMENSION_DYNAMIC_MARKING_GUARD", "NO_TENSOR_ALIASING")  # guards on tensors that have others
_OF_VALUES = VALUES.union(LENGTHS)
# A local variable, its attributes, items and modules, without what a function is made of.
_VALUE = re.compile(r"L\['(?!___)\w+'\](?:\._modules(?=\[)|\.(?!_|training\b)\w+|\[[^\[\]]*\])*")
_MARKS = "'_dynamo_"  # attributes of tensors that torch's marks set
_BASE = re.compile(r"([LG]\[\S+?)\._base\.(?:size|stride)\(\)\[")
_LAST = 4
_MOST = 3
_MODE = ".training"  # of a module
_ALSO = "also failed"
_STRIDE = ".stride()["
_LAST_PART = re.compile(r"(?:\.\w+|\[[^\[\]]*\])\Z")
# Guards on the keys of a dict, of which the call lacks one.
_HAS_KEY = re.compile(r"___dict_contains\((?P<key>.+), (?P<dict>[LG]\[.+)\)")
_IS_KEY = re.compile(r"list\(dict\.keys\((?P<dict>.+)\)\)\[\d+\] == (?P<key>.+)")


def nearest_entry_text(facts: Facts, cause: Cause) -> str | None:
    """Return what else the recompile needs, as sentences: the failing guards of the nearest cache entry, and
    the values that the log lacks to evaluate others.

    None when torch's reason is the whole one, or when the log does not have the guards and inputs to evaluate
    them. Of recompiles that differ, those that failed on more come first.
    """
    return " ".join(filter(None, (_failed_text(facts, cause), _not_shown_text(facts, cause)))) or None


def _failed_text(facts: Facts, cause: Cause) -> str | None:
    texts = {number: _of_recompile(facts, cause, number) for number in cause.rows}
    if not any(texts.values()):
        texts = dict(_by_reasons(facts, cause))
    if len(set(texts.values())) == 1:
        return texts[cause.rows[0]]
    found = [(number, text) for number, text in texts.items() if text]
    if len(found) > _MOST:
        found.sort(key=lambda one: _ALSO not in one[1])
    return _differing(facts, found)


def _not_shown_text(facts: Facts, cause: Cause) -> str | None:
    """Return which values the nearest entries have guards on, and the new compiles none: another path can
    have no use for them, or a change of another kind hides them.
    """
    requests, guards = facts.once(requested_recompiles), facts.table("guards")
    sources: dict[str, dict[str, None]] = {}
    for number in cause.rows:
        request = requests[number]
        nearest = facts.once(_nearest).get(request.row["compile"])
        if nearest is None or not nearest["is_input_known"]:
            continue
        failed = [_source(guards[id_]) for id_ in nearest["guards"]]
        failed += [(request.reason and request.reason["source"]) or ""]
        failed += _lacked_by_failures(guards[id_] for id_ in nearest["guards"])
        texts = [guards[id_]["text"] for id_ in nearest["guards"]]
        for guard in map(guards.__getitem__, nearest["not_evaluated"]):
            source = _source(guard)
            is_known = _is_about(guard, failed) or any(source in text for text in texts)
            if guard["kind"] in _OF_VALUES and _VALUE.fullmatch(source) and not is_known:
                sources.setdefault(source, {}).setdefault(f"[{request.row['compile']}]")
    whole = [source for source in sources if not any(owner in sources for owner in owners_of(source))]
    names = dict.fromkeys(code(source_name(source) or "") for source in whole)
    if not names:
        return None
    calls = dict.fromkeys(call for source in whole for call in sources[source])
    which = "these calls" if len(calls) == len(cause.rows) else listed(list(map(code, calls)), _MOST)
    changed = "changed" if len(cause.rows) == 1 else f"changed in {which}"
    return f"The log does not show whether {listed(list(names), _MOST)} {changed}, too."


def _is_about(guard: GuardsRow, sources: Iterable[str]) -> bool:
    """Whether a guard is on one of these values or on a part of one."""
    texts = (_source(guard), guard["text"])
    return any(source and any(source in text for text in texts) for source in sources)


def _lacked_by_failures(guards: Iterable[GuardsRow]) -> list[str]:
    """Return the items of dicts that a call lacks, by the guards on keys that it failed: nothing else of an
    item is known.
    """
    matches = (_HAS_KEY.fullmatch(guard["text"]) or _IS_KEY.fullmatch(guard["text"]) for guard in guards)
    return [f"{match['dict']}[{match['key']}]" for match in matches if match is not None]


def _lacked(facts: Facts, compile: str | None, guards: Iterable[GuardsRow]) -> set[str]:
    """Return the items of dicts that these guards are on and that a call lacks, by its own guards."""
    items = {source for guard in guards if (source := _source(guard)).endswith("]")}
    own = (
        (guard["text"] for guard in guards_of(facts, compile) if guard["text"].startswith("not "))
        if items
        else ()
    )
    matches = (_HAS_KEY.fullmatch(text.removeprefix("not ")) for text in own)
    return items.intersection(f"{match['dict']}[{match['key']}]" for match in matches if match is not None)


def is_whole_reason(facts: Facts, cause: Cause) -> bool:
    """Whether the nearest entries failed on nothing but torch's reason, as far as known."""
    texts = (_of_recompile(facts, cause, number) for number in cause.rows)
    return not any(text is not None and _ALSO in text for text in texts)


def is_never_alone(facts: Facts, cause: Cause) -> bool:
    """Whether the nearest entry of each recompile failed on more than torch's reason."""
    return all(_ALSO in (_of_recompile(facts, cause, number) or "") for number in cause.rows)


def has_more_differences(facts: Facts, compile: str | None, reason: RecompileReasonsRow) -> bool:
    """Whether the nearest entry of a recompile failed on more values than torch's reason is about, tensors
    and their sizes excepted.
    """
    nearest, guards = facts.once(_nearest).get(compile or ""), facts.table("guards")
    source, text = local_name(reason["source"] or ""), source_name(reason["guard"])
    own = source_name(reason["source"])
    failed = (guards[id_] for id_ in nearest["guards"]) if nearest is not None else ()
    return any(
        guard["kind"] not in ("TENSOR_MATCH", *_BESIDE)
        and not (guard["kind"] in EXPRESSIONS and (of := _size(guard)) and of.startswith(f"{own}."))
        and not (guard["kind"] in STATES and reason["change"] == "global_state")
        and (name := local_name(guard["source"] or "")) != source
        and source_name(guard["text"]) != text
        and not name.startswith("___stack")  # a value that a graph break left
        for guard in failed
    )


def is_of_tensors(facts: Facts, cause: Cause) -> bool:
    """Whether the nearest entries failed on nothing but tensors and states, as far as known."""
    return not any(_has_failed_value(facts, cause))


def is_of_values(facts: Facts, cause: Cause) -> bool:
    """Whether each nearest entry failed on more than tensors and states."""
    return all(_has_failed_value(facts, cause))


def _has_failed_value(facts: Facts, cause: Cause) -> Iterator[bool]:
    """Yield for each recompile whether its nearest entry failed on more than tensors and states."""
    requests, guards = facts.once(requested_recompiles), facts.table("guards")
    for number in cause.rows:
        row = facts.once(_nearest).get(requests[number].row["compile"])
        ids = row["guards"] if row is not None else ()
        yield any(guards[id_]["kind"] not in ("TENSOR_MATCH", *STATES, *_BESIDE) for id_ in ids)


def _differing(facts: Facts, texts: Sequence[tuple[int, str]]) -> str:
    """Return a sentence about recompiles that differ."""
    first, *others = _sentences(facts, texts[:_MOST])
    parts = [first, *(text.removeprefix("In") for text in others)]
    more = len(texts) - _MOST
    end = f"; {more:,} more {'is' if more == 1 else 'are'} not shown" if more > 0 else ""
    return "; in".join(part.rstrip(".") for part in parts) + end + "."


def _sentences(facts: Facts, texts: Sequence[tuple[int, str]]) -> list[str]:
    requests = facts.once(requested_recompiles)
    return [
        f"In `[{requests[number].row['compile']}]`, {text[0].lower()}{text[1:]}" for number, text in texts
    ]


def _of_recompile(facts: Facts, cause: Cause, number: int) -> str | None:
    """Return on what the nearest entry failed besides its reason, or that it is not the first one."""
    request = facts.once(requested_recompiles)[number]
    nearest = facts.once(_nearest).get(request.row["compile"])
    source = local_name((cause.reason and cause.reason["source"]) or "")
    if nearest is None or request.reason is None:
        return None
    guards = facts.table("guards")
    if request.reason["guard"].endswith("index out of range"):
        return _of_short_base(nearest, [guards[id_] for id_ in nearest["not_evaluated"]])
    reported = source_name(request.reason["guard"])
    is_of_item = request.reason["guard"].startswith(NOT_FOUND)
    others = [
        guard
        for guard in map(guards.__getitem__, nearest["guards"])
        if not (source and local_name(_source(guard)) == source and (cause.change != "keys" or is_of_item))
        and source_name(guard["text"]) != reported
        and guard["kind"] != _OWN_KINDS.get(cause.change)
    ]
    missing = _lacked_by_failures(guards[id_] for id_ in nearest["guards"])
    others = [guard for guard in others if not _source(guard).startswith(tuple(missing))]
    modes = [guard for guard in others if (guard["source"] or "").endswith(_MODE)]
    if modes:  # a module sets that of its parts
        outer = min(modes, key=lambda guard: len(guard["source"] or ""))
        others = [guard for guard in others if guard not in modes or guard is outer]
    others = [guard for guard in others if not _is_beside(guard)] or others
    if cause.change == "global_state" and request.row["compile"] in facts.once(_avoided_by_state):
        others = []  # what differs follows from the state, such as the dispatch keys of tensors
    if cause.change == "global_state":
        others = [guard for guard in others if not is_of_keys(facts, request.row["compile"], guard)]
    of_keys = []
    if is_of_transforms(cause):
        compile = request.row["compile"]
        others = [guard for guard in others if not is_of_keys(facts, compile, guard, or_gradients=True)]
    elif cause.change == "dispatch_keys":
        of_keys = [guard for guard in others if is_of_keys(facts, request.row["compile"], guard)]
        others = [guard for guard in others if guard not in of_keys]
    others = _independent_first(others, source)
    more = of_same_tensor(facts, cause, number, nearest)
    lacked = _lacked(facts, request.row["compile"], others)
    others = [guard for guard in others if _source(guard) not in lacked]
    missing_texts = (f"the missing {code(source_name(item) or '')}" for item in sorted(lacked))
    texts = list(dict.fromkeys((*more, *missing_texts, *_texts(others))))
    if of_keys:
        names = [code(source_name(_source(guard)) or "") for guard in of_keys]
        tensors = names[0] if len(names) == 1 else plural(len(names), "other tensor")
        texts.append(f"the dispatch keys of {tensors}")
    if texts:
        which = listed(texts, _MOST)
        return f"The nearest cache entry, `[{nearest['entry']}]`, {_ALSO} on {which}."
    if nearest["position"] == 0:
        return None
    only = "" if nearest["not_evaluated"] else "only "
    which = "this guard"
    if request.reason["change"] != cause.change:
        which = code(shortened(source_name(shown_guard(request.reason["guard"]))) or "")
    return f"The nearest cache entry, `[{nearest['entry']}]`, failed {only}on {which}."


def _of_short_base(nearest: GuardFailuresRow, guards: Sequence[GuardsRow]) -> str | None:
    """Return why a guard raised an error where all that can do so are on the base of one view."""
    bases = {base[1] if (base := _BASE.search(guard["text"])) else None for guard in guards}
    if len(bases) != 1 or (view := bases.pop()) is None:
        return None
    name = source_name(view) or ""
    return (
        f"The nearest cache entry, `[{nearest['entry']}]`, has guards on sizes of {code(f'{name}._base')},"
        f" the tensor of which {code(name)} is a view. That tensor has fewer dimensions in this call."
    )


def _is_beside(guard: GuardsRow) -> bool:
    return guard["kind"] in _BESIDE or _MARKS in guard["text"]


def _independent_first(guards: Sequence[GuardsRow], source: str) -> list[GuardsRow]:
    """Return guards with one of each object first, those on values before those on tensors: what differs in
    other parts of the object of a cause, or in other tensors, often follows from it. ``source``: the local
    name of the source of the cause.
    """
    first: list[GuardsRow] = []
    rest: list[GuardsRow] = []
    seen = {_owner(source)}
    for guard in sorted(guards, key=lambda guard: guard["kind"] == "TENSOR_MATCH"):
        owner = _owner(guard["source"] or "")
        (rest if owner in seen else first).append(guard)
        seen.add(owner)
    return sorted(
        (*first, *rest),
        key=lambda guard: guard["kind"] == "TENSOR_MATCH" and is_of_module(guard["source"] or ""),
    )


def _owner(source: str) -> str:
    """Return the object of an attribute or an item; an argument is its own."""
    name = local_name(source)
    return _LAST_PART.sub("", name) or name


def _texts(guards: Sequence[GuardsRow]) -> Iterator[str]:
    """Yield what each guard asks for; of several conditions on one size only which size it is."""
    sizes = [_size(guard) for guard in guards]
    counts = Counter(sizes)
    for guard, size in zip(guards, sizes, strict=True):
        strided = _strided(guard["text"]) if guard["kind"] in EXPRESSIONS else None
        if strided is not None:
            yield f"the strides of {code(source_name(strided) or '')}"
        else:
            yield f"conditions on {code(size)}" if size and counts[size] > 1 else shown(guard)


def _strided(condition: str) -> str | None:
    """Return the tensor whose stride a condition is on, such as "L['x']" of "L['x'].stride()[0] == 4"."""
    before, found, _ = condition.partition(_STRIDE)
    source = re.split(r"[ *+-]", before)[-1].lstrip("(")
    return source if found and source.count("(") == source.count(")") else None


def _size(guard: GuardsRow) -> str | None:
    """Return the only size that a condition is on; None for other guards."""
    is_of_sizes = guard["kind"] in EXPRESSIONS and _STRIDE not in guard["text"]
    sizes = set(SIZE.findall(guard["text"])) if is_of_sizes else set()
    if len(sizes) != 1:
        return None
    ((source, dimension),) = sizes
    return f"{source_name(source)}.size({dimension})"


def _avoided_by_state(facts: Facts) -> set[str]:
    """Return the compiles that one global state would avoid."""
    rows = (row for row in facts.table("recompile_fixes") if row["fix"] == "same_global_state")
    return {compile for row in rows for compile in row["avoided"]}


def _by_reasons(facts: Facts, cause: Cause) -> Iterator[tuple[int, str | None]]:
    """Yield each recompile with a sentence about a cache entry that passed the check which torch's first
    reason names.
    """
    wanted = set()  # values for which torch had compiled before, so an entry for the value of the call exists
    for number in cause.rows:
        request = facts.once(requested_recompiles)[number]
        reasons = request.reasons
        actual = facts.once(actual_values).get(number, reasons[0]["actual"] if reasons else None)
        yield number, _of_reasons(reasons, is_known_value=actual is not None and actual in wanted)
        if request.reason is not None:
            wanted.add(request.reason["expected"])


def _of_reasons(reasons: Sequence[RecompileReasonsRow], *, is_known_value: bool) -> str | None:
    first = reasons[0] if reasons else None
    source = local_name((first and first["source"]) or "")
    if first is None or not source:
        return None
    about = re.compile(rf"(?<![\w.]){re.escape(source)}(?!\w)")
    for other in reasons[1:]:
        is_of_source = about.search(local_name(other["source"] or "")) is not None
        # torch checks the type of an object before its keys, the dtype of a tensor before its rank and sizes.
        is_later = _CHECKED.get(other["change"], 0) > _CHECKED.get(first["change"], _LAST)
        if other["entry"] and (is_later if is_of_source else is_known_value):
            guard = code(shortened(source_name(shown_guard(other["guard"]))) or "")
            return f"The cache entry `[{other['entry']}]` failed on {guard}."
    return None


def _nearest(facts: Facts) -> dict[str, GuardFailuresRow]:
    """Return the nearest cache entry of recompiles."""
    return {row["compile"]: row for row in facts.table("guard_failures") if row["is_nearest"]}


def _source(guard: GuardsRow) -> str:
    """Return what a guard is on. That on a tensor of a dict has its key in the text only."""
    pattern = tensor_pattern(guard["text"]) if guard["kind"] == "TENSOR_MATCH" else None
    return pattern.source if pattern is not None else guard["source"] or ""


def shown(guard: GuardsRow) -> str:
    """Return a guard in a sentence: "the type of `x`", "the global state", or its text."""
    about = _KINDS.get(guard["kind"] or "")
    if about is not None and guard["source"]:
        return f"{about} {code(source_name(_source(guard)) or '')}"
    text = code(shortened(source_name(first_line(guard["text"]))) or "")
    return STATES.get(guard["kind"] or "", text)
