"""Symbols for dynamic sizes that became constants."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.findings.facts import Facts
from tlparse_bundle.findings.finding import Finding
from tlparse_bundle.findings.change_words import source_name
from tlparse_bundle.findings.words import code, listed, plural, times

KINDS = ("specialization",)


def findings(facts: Facts) -> Iterator[Finding]:
    if not facts.kind_count("symbolic_shape_specialization"):
        return
    table = facts.table("symbols")
    strings, columns = table["strings"], table["specializations"]
    groups: dict[tuple, list[dict]] = {}
    for cells in zip(*columns.values()):
        row = dict(zip(columns, cells))
        row["sources"] = [source_name(strings[source]) for source in row["sources"]]
        row["value"], row["reason"] = strings[row["value"]], strings[row["reason"]] if row["reason"] >= 0 else None
        groups.setdefault(facts.function_keys[row["compile_index"]], []).append(row)
    for function, rows in groups.items():
        yield _finding(facts, function, rows)


def _finding(facts: Facts, function: tuple, rows: list[dict]) -> Finding:
    file, name, line = function
    where = f" in {code(name)}" if name else ""
    sizes = list(dict.fromkeys(f"{listed([code(source) for source in row['sources']]) or 'a symbol'} = {row['value']}" for row in rows))
    if len(sizes) == 1:
        title = f"{sizes[0].replace(' = ', ' became the constant ')}{where}{f', {times(len(rows))}' if len(rows) > 1 else ''}: another size compiles again"
    else:
        title = f"{plural(len(sizes), 'size')} became constants{where}: other sizes compile again"
    at = facts.innermost(rows[0]["user_stack_index"])
    reasons = list(dict.fromkeys(row["reason"].replace("_", " ") for row in rows if row["reason"]))
    texts = [
        f"They are {listed(sizes, 8)}." if len(sizes) > 1 else None,
        f"torch says why: {listed(reasons)}." if reasons else None,
        f"{'The first one is at' if len(sizes) > 1 else 'At'} {code(facts.short.place(at['file'], at['line']) or 'an unknown place')}: {code(at['loc'])}." if at and at["loc"] else None,
    ]
    return Finding(
        "specialization",
        "info",
        title,
        sizes,
        "\n\n".join(filter(None, texts)),
        (at["name"], at["file"] and facts.short(at["file"]), at["line"]) if at else (name, file and facts.short(file), line),
        [row["compile_index"] for row in rows],
        [row["event_index"] for row in rows],
        count=len(rows),
        details={"sizes": [{"sources": row["sources"], "value": row["value"], "reason": row["reason"]} for row in rows[:100]]},
    )
