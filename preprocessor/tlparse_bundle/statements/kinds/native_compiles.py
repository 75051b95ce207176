"""Compile time of torch's native operators, which no other record has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, listed, plural, times
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding, KindReference, Remedy

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import NativeCompilesRow

KINDS = ("native-compile",)
REFERENCE = {
    "native-compile": KindReference(
        title="Native operator compile",
        meaning="Native operators of torch compiled their own kernels on first use, for at least 0.1 s "
        "together. Or one of these compiles failed, or repeated for the same key.",
        fix="Call the operator once before time matters, and keep the caches of CuTeDSL and Triton between "
        "runs.",
        not_when="Each new shape or dtype can need one more kernel.",
    ),
}
_LEAST_US = 100_000
_LANGUAGES = {"cutedsl": "CuTeDSL", "triton": "Triton", "flydsl": "FlyDSL"}


def findings(facts: Facts) -> Iterator[Finding]:
    by_op: dict[tuple[str | None, str | None], list[NativeCompilesRow]] = {}
    for row in facts.table("native_compiles"):
        if row["outcome"] != "cache_hit":
            by_op.setdefault((row["op"], row["dsl"]), []).append(row)
    for (op, dsl), rows in by_op.items():
        finding = _finding(facts, op, dsl, rows)
        if finding is not None:
            yield finding


def _finding(facts: Facts, op: str | None, dsl: str | None, rows: list[NativeCompilesRow]) -> Finding | None:
    errors = [row for row in rows if row["outcome"] == "error"]
    compiled = [row for row in rows if row["compiled"]]
    keys = Counter(row["key"] for row in compiled if row["key"] is not None)
    repeated = [key for key, count in keys.items() if count > 1]
    us = sum(row["duration_us"] or 0 for row in compiled)
    if us < _LEAST_US and not errors and not repeated:
        return None
    name = code(op) if op else "A native operator"
    language = f" ({_LANGUAGES.get(dsl, dsl)})" if dsl else ""
    what = [
        *([f"{plural(len(errors), 'compile')} failed"] if errors else []),
        *([f"{plural(len(compiled), 'kernel')} compiled in {duration(us)}"] if compiled else []),
    ]
    texts = [
        "torch compiles the kernels of a native operator on its first call, and no span has this time.",
        "The cache did not keep the kernel of "
        + listed([f"{code(key)}, compiled {times(keys[key])}" for key in repeated])
        + "."
        if repeated
        else "",
    ]
    return Finding(
        "native-compile",
        "error" if errors else "warning" if repeated else "info",
        f"{name}{language}: {', '.join(what)}",
        (op, dsl, bool(errors), bool(repeated)),
        "\n\n".join(filter(None, texts)),
        compiles=[facts.number_of(row) for row in rows],
        events=[row["event"] for row in (*errors, *compiled)],
        count=len(errors) + len(compiled),
        cost_us=us if compiled else None,
        cost_of="compiling kernels of the operator",
        remedies=[Remedy("Call the operator once with its usual shapes before time matters.")]
        if compiled and not errors
        else [],
        details={
            "op": op,
            "dsl": dsl,
            "compiled_count": len(compiled),
            "error_count": len(errors),
            "repeated_key_count": len(repeated),
        },
    )
