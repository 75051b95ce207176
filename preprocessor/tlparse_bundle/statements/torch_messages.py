"""Names of the caches of torch, and the parts of its messages: explanation and hints."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tlparse_bundle.statements.statement import TORCH, Remedy

CACHES = {
    "fx_graph": "FX graph cache",
    "aot_autograd": "AOTAutograd cache",
    "pgo": "profile (PGO)",
    "precompile": "precompile cache",
}
_USELESS = re.compile(r"Please report an issue|It may be possible to write Dynamo tracing rules")
_PARTS = re.compile(r"\n[ \t]*(?:Explanation|Hint|Developer debug context): ")
_HINT = re.compile(r"^[ \t]*Hint: (.+)$", re.MULTILINE)
_EXPLANATION = re.compile(
    r"^[ \t]*Explanation: (.+(?:\n(?![ \t]*(?:(?:Hint|Developer debug context): |$)).*)*)", re.MULTILINE
)


def torch_remedies(hints: Sequence[str]) -> list[Remedy]:
    """Return torch's hints verbatim, without those that every message has."""
    return [Remedy(hint.strip(), source=TORCH) for hint in hints if not _USELESS.match(hint.strip())]


def taken_apart(message: str | None) -> tuple[str, str | None, list[str]]:
    """Split an exception message into its first part, torch's explanation and torch's hints."""
    text = message or ""
    explanation = _EXPLANATION.search(text)
    return (
        _PARTS.split(text, maxsplit=1)[0].strip(),
        explanation[1].strip() if explanation else None,
        _HINT.findall(text),
    )
