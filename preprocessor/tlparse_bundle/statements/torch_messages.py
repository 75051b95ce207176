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
_USELESS = re.compile(
    r"Please (?:report|open|file) an issue|File an issue|It may be possible to write Dynamo tracing rules"
    r"|If it is a Python builtin, please file an issue|Consider using the debug context"
)
# A hint that the user can follow where the code is not the user's: a setting.
_SETTING = re.compile(r"torch\._(?:dynamo|inductor|functorch)\.config\b|\bTORCH[A-Z_]*_")
# Hints of torch that are wrong, by their beginning, with what to do instead.
_CORRECTIONS = {
    # The setting is torch._dynamo.config.trace_autograd_ops, and the break stays when the loss is returned
    # (torch 2.11 to 2.15).
    "Set torch._dynamo.trace_autograd_ops=True": Remedy(
        "Call `backward()` outside the compiled function, which then only computes the loss."
    ),
}
_PARTS = re.compile(r"\n[ \t]*(?:Explanation|Hint|Developer debug context): ")
_HINT = re.compile(r"^[ \t]*Hint: (.+)$", re.MULTILINE)
_EXPLANATION = re.compile(
    r"^[ \t]*Explanation: (.+(?:\n(?![ \t]*(?:(?:Hint|Developer debug context): |$)).*)*)", re.MULTILINE
)


def torch_remedies(hints: Sequence[str], *, is_in_users_hands: bool = True) -> list[Remedy]:
    """Return torch's hints verbatim, without those that every message has, and wrong ones corrected.

    ``is_in_users_hands``: see user_code; where it is False, only settings help.
    """
    useful = [hint.strip() for hint in hints if not _USELESS.match(hint.strip())]
    return [
        _CORRECTIONS.get(hint) or Remedy(hint, source=TORCH)
        for hint in useful
        if is_in_users_hands or _SETTING.search(hint)
    ]


def taken_apart(message: str | None) -> tuple[str, str | None, list[str]]:
    """Split an exception message into its first part, torch's explanation and torch's hints."""
    text = message or ""
    explanation = _EXPLANATION.search(text)
    return (
        _PARTS.split(text, maxsplit=1)[0].strip(),
        explanation[1].strip() if explanation else None,
        _HINT.findall(text),
    )
