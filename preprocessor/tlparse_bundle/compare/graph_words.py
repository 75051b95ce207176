"""What is different in two graphs that Dynamo captured of one function, in a few words: inputs, and what they call."""

from __future__ import annotations

import re
from collections import Counter

from tlparse_bundle.findings.words import code, listed, plural, times

MAX_GRAPH = 4_000_000  # bytes of a graph that is looked at
_SIGNATURE = re.compile(rb"^    def forward\(self,? ?([^\n]{0,200000}?)\):$", re.MULTILINE)  # torch/fx/graph.py, print_readable
_INPUT = re.compile(rb'(\w{1,300}) ?: "([^"\n]{1,300})"')
_CALL = re.compile(rb"^ +\w+(?:: \"[^\"\n]*\")? = ([A-Za-z_][\w.]{0,200})\(", re.MULTILINE)
_STRIDES = re.compile(r"(\[[^\]]*\]).*")


def difference(base: bytes, new: bytes) -> str:
    """Sentences; empty where neither inputs nor calls tell it."""
    if max(len(base), len(new)) > MAX_GRAPH:
        return ""
    return " ".join(filter(None, [_inputs(*map(_inputs_of, (base, new))), _calls(*(Counter(_CALL.findall(text)) for text in (base, new)))]))


def _inputs_of(text: bytes) -> dict[str, str]:
    found = _SIGNATURE.search(text)
    return {name.decode(): type_.decode("utf-8", "replace") for name, type_ in _INPUT.findall(found[1])} if found else {}


def _inputs(base: dict[str, str], new: dict[str, str]) -> str:
    parts = []
    for name in new.keys() & base.keys():
        if base[name] != new[name]:
            short = [_STRIDES.sub(r"\1", type_) for type_ in (base[name], new[name])]
            before, now = short if short[0] != short[1] else (base[name], new[name])
            parts.append((list(new).index(name), f"{code(name)} is {code(now)} (was {code(before)})"))
    counts = "" if len(base) == len(new) or not base or not new else f"It has {plural(len(new), 'input')}, was {len(base):,}."
    return " ".join(filter(None, [counts, listed([text for _, text in sorted(parts)]) and f"Of its inputs {listed([text for _, text in sorted(parts)])}."]))


def _calls(base: Counter, new: Counter) -> str:
    names = [name for name in {**new, **base} if base[name] != new[name]]
    parts = [f"{code(name.decode())} {times(new[name]) if new[name] else 'no more'} (was {times(base[name]) if base[name] else 'not there'})" for name in names]
    return f"It calls {listed(parts)}." if parts else ""
