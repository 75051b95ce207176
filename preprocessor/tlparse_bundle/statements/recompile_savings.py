"""What the fixes of a cause would save, from the table ``recompile_fixes``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.wording import duration, listed, plural
from tlparse_bundle.guards.fixes import FLOAT
from tlparse_bundle.guards.inputs import is_of_module, local_name
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.after_breaks import is_called_by_a_library, is_called_by_compiled_code
from tlparse_bundle.statements.facts import Facts, FunctionKey
from tlparse_bundle.statements.guard_changes import is_of_modes, laid_out, source_name, tied_places
from tlparse_bundle.statements.recompile_causes import Cause, requested_recompiles
from tlparse_bundle.statements.sizes import fails_when_dynamic

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RecompileFixesRow

# The fixes that relax a guard of each change ('recompile_reasons').
OF_CHANGE = {
    "size": ("mark_dynamic", "mark_unbacked"),
    "shape": ("mark_unbacked", "same_layout"),
    "stride": ("same_layout", "mark_dynamic"),
    "dtype": ("same_dtype",),
    "device": ("same_device",),
    "requires_grad": ("same_requires_grad",),
    "value": ("tensor_argument", "few_values", "same_type"),
    "flag": ("few_values",),
    "type": ("same_type", "few_values"),
    "identity": ("same_object",),
    "length": ("same_structure",),
    "keys": ("same_structure",),
    "global_state": ("same_global_state",),
}

_OF_OPTIONAL = ("same_type", "few_values")

_ROOT = re.compile(r"\w+")
NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf)|nan")


@dataclass(frozen=True)
class Savings:
    """What fixes would save in the code objects of a cause. ``own``: the fix of its guard; ``dynamic``:
    ``dynamic=True``; ``together``: the best combination that has one of these, with its parts; whether
    ``dynamic=True`` avoids the same compiles as the fix of the guard; and whether to pass an optional
    argument in no call avoids the same ones as to pass it in all.
    """

    own: RecompileFixesRow | None
    dynamic: RecompileFixesRow | None
    together: tuple[RecompileFixesRow, list[RecompileFixesRow]] | None
    is_same_as_dynamic: bool
    is_same_as_omitting: bool

    @property
    def best(self) -> RecompileFixesRow | None:
        """The single fix that avoids most compiles; None when none avoids any."""
        rows = [row for row in (self.own, self.dynamic) if row is not None and row["avoided"]]
        return max(rows, key=lambda row: len(row["avoided"]), default=None)


def are_inputs_known(facts: Facts, cause: Cause) -> bool:
    """Whether the log has the inputs of the calls of a cause."""
    everything, known = facts.once(requested_recompiles), facts.once(_known_inputs)
    return all(everything[number].row["compile"] in known for number in cause.rows)


def savings(facts: Facts, cause: Cause) -> Savings | None:
    """Return what the fixes of a cause would save; None when the log lacks the inputs of its calls."""
    everything = facts.once(requested_recompiles)
    requests = [everything[number] for number in cause.rows]
    code_objects = {one.row["code_object"] for one in requests}
    if len(code_objects) != 1 or cause.reason is None:
        return None
    rows = facts.once(_by_code_object).get(code_objects.pop())
    if rows is not None and fails_when_dynamic(facts, cause):
        rows = _without_all_dynamic(rows)
    if rows is None or not are_inputs_known(facts, cause):
        return None
    markable = is_markable(facts, cause)
    own = next(
        (
            row
            for row in rows
            if _is_of(row, cause) and (markable or not (row["fix"] or "").startswith("mark_"))
        ),
        None,
    )
    compiles = {one.row["compile"] for one in requests}
    if own is not None and not own["avoided"] and own["undecided"] and compiles.isdisjoint(own["undecided"]):
        own = None  # it may help recompiles with other causes
    dynamic = next((row for row in rows if row["fix"] == "dynamic_true"), None)
    is_same_as_dynamic = (
        own is not None
        and dynamic is not None
        and bool(own["avoided"])
        and (own["avoided"], own["undecided"]) == (dynamic["avoided"], dynamic["undecided"])
    )
    if cause.change not in ("size", "stride", "value") or is_of_module(cause.reason["source"] or ""):
        dynamic = None
    if cause.change == "value" and not all(NUMBER.fullmatch(str(value)) for value in cause.values):
        dynamic = None
    may_be_avoided = {*dynamic["avoided"], *dynamic["undecided"]} if dynamic is not None else set()
    if may_be_avoided and may_be_avoided.isdisjoint(compiles):
        dynamic = None  # it helps recompiles with other causes
    if own is not None and own["fix"] == "few_values" and dynamic is not None and is_of_floats(cause):
        own = None if len(dynamic["avoided"]) >= len(own["avoided"]) else own
    return Savings(
        own, dynamic, _together(rows, own or dynamic), is_same_as_dynamic, _is_same_as_omitting(rows, own)
    )


def _is_same_as_omitting(rows: Sequence[RecompileFixesRow], own: RecompileFixesRow | None) -> bool:
    """Whether two fixes for a value avoid the same compiles: one type, which is that of the first value that
    is not None, and the first value.
    """
    if own is None or own["fix"] not in _OF_OPTIONAL:
        return False
    both = [row for row in rows if row["fix"] in _OF_OPTIONAL and row["source"] == own["source"]]
    return len(both) == 2 and all(
        row["avoided"] == own["avoided"] and row["undecided"] == own["undecided"] for row in both
    )


def _without_all_dynamic(rows: Sequence[RecompileFixesRow]) -> list[RecompileFixesRow]:
    """Return the fixes without ``dynamic=True``, alone or with others."""
    ids = {row["id"] for row in rows if row["fix"] == "dynamic_true"}
    return [row for row in rows if ids.isdisjoint((row["id"], *row["combines"]))]


def is_of_floats(cause: Cause) -> bool:
    """Whether a cause has only floats as values. torch makes a float that changes dynamic."""
    source = (cause.reason and cause.reason["source"]) or ""
    if "param_groups[" in source:  # a tensor as the learning rate also spares later recompiles
        return False
    return cause.change == "value" and all(FLOAT.fullmatch(str(value)) for value in cause.values)


def is_markable(facts: Facts, cause: Cause) -> bool:
    """Whether the user's code has the tensor of a cause, to mark a dimension of it. After a graph break,
    code that combines it with a tensor without the mark needs a constant.
    """
    source = (cause.reason and cause.reason["source"]) or ""
    root = _ROOT.match(local_name(source))
    if root is not None and (cause.function, root[0]) in facts.once(_used_after_breaks):
        return False
    if (cause.function, source_name(source), cause.dimension) in facts.once(tied_places):
        return False
    if "___from_numpy(" in source or (cause.is_resumed and not is_passed(facts, cause.function, source)):
        return False
    number = facts.once(requested_recompiles)[cause.rows[0]].compile_index
    return not is_called_by_a_library(facts, number) and not is_called_by_compiled_code(facts, number)


def is_passed(facts: Facts, function: FunctionKey, source: str) -> bool:
    """Whether a function gets the tensor from its caller: a local of its resume functions can be one that it
    made before the graph break.
    """
    root = _ROOT.match(local_name(source))
    return root is not None and (function, root[0]) in facts.once(_arguments)


def _arguments(facts: Facts) -> set[tuple[FunctionKey, str]]:
    """Return the names of the tensors, and of what holds tensors, that functions get from their callers."""
    return _names(facts, is_resumed=False)


def _used_after_breaks(facts: Facts) -> set[tuple[FunctionKey, str]]:
    """Return the names of the same in resume functions that have other tensors, too."""
    names = _names(facts, is_resumed=True)
    counts = Counter(function for function, _ in names)
    return {(function, name) for function, name in names if counts[function] > 1}


def _names(facts: Facts, *, is_resumed: bool) -> set[tuple[FunctionKey, str]]:
    found = set()
    for row in facts.table("tensors"):
        number = facts.number_of(row)
        if (resume_function(facts.compiles[number]["function"]) is not None) == is_resumed:
            function = facts.function_key(number)
            roots = (_ROOT.match(local_name(source)) for source in row["sources"])
            found |= {(function, root[0]) for root in roots if root}
    return found


def _known_inputs(facts: Facts) -> set[str]:
    """Return the recompiles whose input is known."""
    return {row["compile"] for row in facts.table("guard_failures") if row["is_input_known"]}


def _by_code_object(facts: Facts) -> dict[int | None, list[RecompileFixesRow]]:
    fixes: dict[int | None, list[RecompileFixesRow]] = {}
    for row in facts.table("recompile_fixes"):
        fixes.setdefault(row["code_object"], []).append(row)
    return fixes


def _is_of(row: RecompileFixesRow, cause: Cause) -> bool:
    """Whether a fix relaxes the guard of a cause."""
    if row["fix"] is None or row["fix"] not in OF_CHANGE.get(cause.change, ()):
        return False
    reason = cause.reason
    if row["fix"] == "same_global_state":
        return not is_of_modes(cause)
    if reason is None or local_name(row["source"] or "") != local_name(reason["source"] or ""):
        return False
    if cause.change == "shape" and row["fix"] == "same_layout":
        return laid_out(reason["guard"]) is not None
    if cause.change == "size":  # torch specializes the sizes 0 and 1 of a dynamic dimension
        if row["fix"] == "mark_dynamic" and not row["avoided"] and all(map(_is_small, cause.moves)):
            return False
        if row["fix"] == "mark_unbacked" and not any(map(_is_small, cause.moves)):
            return False
    return row["dimension"] is None or cause.dimension in (None, row["dimension"])


def _is_small(move: tuple[Any, Any]) -> bool:
    return not {0, 1}.isdisjoint(move)


def _together(
    rows: Sequence[RecompileFixesRow], own: RecompileFixesRow | None
) -> tuple[RecompileFixesRow, list[RecompileFixesRow]] | None:
    by_id = {row["id"]: row for row in rows}
    found = [
        row
        for row in rows
        if own is not None and own["id"] in row["combines"] and not _is_enough(own, row, by_id)
    ]
    best = max(found, key=lambda row: len(row["avoided"]), default=None)
    if best is None or own is None:
        return None
    return best, [by_id[id_] for id_ in best["combines"] if id_ != own["id"]]


def _is_enough(
    own: RecompileFixesRow, together: RecompileFixesRow, by_id: Mapping[int, RecompileFixesRow]
) -> bool:
    """Whether one other fix of a combination may avoid as much alone."""
    others = (by_id[id_] for id_ in together["combines"] if id_ != own["id"])
    return any(set(together["avoided"]) <= {*one["avoided"], *one["undecided"]} for one in others)


def saved_sentence(
    who: str,
    row: RecompileFixesRow,
    together: tuple[RecompileFixesRow, Sequence[RecompileFixesRow]] | None,
    others: Sequence[str],
    *,
    is_limited: bool,
    is_all_dynamic: bool = False,
) -> str:
    """Return what a fix saves, alone and ``together`` with the others of a combination, or that the log does
    not show it. ``who``: the fix, "This" where the sentence follows it; ``others``: the names of the others.

    ``is_limited``: the function hit the recompile limit, so its calls can compile that ran eager.
    ``is_all_dynamic``: the fix can also be ``dynamic=True``.
    """
    end = "; calls that now run eager can then compile instead." if is_limited else "."
    both = None
    if together is not None:
        both = saved_text(together[0], is_all_dynamic=is_all_dynamic)
    if row["avoided"]:
        text = f"{who} would avoid {saved_text(row, is_all_dynamic=is_all_dynamic)}"
    elif not row["undecided"] and not (row["fix"] == "same_structure" and both is not None):
        text = "Alone, this avoids no compile"
    elif together is not None:
        text = f"Together with {listed(list(others))}, this would avoid {both}"
        if not row["undecided"]:
            return f"{text}{end}"  # one container often follows from another
        alone = "possibly this one" if len(together[0]["avoided"]) == 1 else "possibly some of them"
        return f"{text}; alone, {alone}{end}"
    else:
        return "The log does not show whether this would avoid a compile."
    more = "" if both is None else f"; together with {listed(list(others))}, {both}"
    return f"{text}{more}{end}"


_LITTLE = 1000  # of the compile time


def saved_text(row: RecompileFixesRow, *, is_all_dynamic: bool = False) -> str:
    """Return what a fix saves: "13 of 38 compiles and 6.1 s of 15.9 s", or "at least 13 of 38 compiles".

    ``is_all_dynamic``: the fix can also be ``dynamic=True``, which may avoid more.
    """
    text = f"{len(row['avoided']):,} of {plural(row['compile_count'], 'compile')}"
    if row["is_minimum"] or (is_all_dynamic and len(row["avoided"]) < row["compile_count"] - 1):
        text = f"at least {text}"
    # None or little: what remains takes as much longer.
    if row["total_us"] is None or (row["saved_us"] or 0) * _LITTLE < row["total_us"]:
        return text
    return f"{text} and {duration(row['saved_us'])} of {duration(row['total_us'])}"


def saved_us(facts: Facts, cause: Cause) -> int | None:
    """Return the time that the best fix of a cause saves, in µs; None when it is none or not known."""
    found = savings(facts, cause)
    best = found.best if found else None
    return (best["saved_us"] or None) if best else None
