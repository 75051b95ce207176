"""What a redacted bundle would have, before there is one."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.errors import BundleError
from tlparse_bundle.findings.words import plural
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.redact.policy import CLASSES, PARTS, Policy
from tlparse_bundle.redact.redact import check_source, look
from tlparse_bundle.redact.secrets import addresses, secrets
from tlparse_bundle.redact.text import is_long
from tlparse_bundle.shown import shown

_SHOWN = 12
_ALWAYS = ("compiles", "artifacts", "stacks", "events", "diagnostics")


def preview(bundle: Bundle, policy: Policy) -> Iterator[str]:
    """Lines that say what goes, what stays, how much that is, and what looks like a secret. Raises BundleError for a bundle that cannot be redacted."""
    check_source(bundle)
    found = look(bundle)
    sizes: dict[str, int] = {}
    timeline: set[str] = set()
    for log in bundle.logs:
        for path, row in log.blobs.items():
            sizes[path] = row["stored_size_bytes"]
            if row["kind"] == "timeline":
                timeline.add(path)
    payloads = sum(size for path, size in sizes.items() if path not in timeline)
    names = found.names()
    words = sum(not names.stays(word) for word in found.words)
    amounts = {
        "payloads": f"{plural(sum(len(log.artifacts) for log in bundle.logs), 'artifact')}, {_size(payloads)} as they are stored",
        "source": f"{plural(len(found.source), 'line')}, {sum(map(is_long, found.source)):,} of more than three words",
        "guards": f"{sum(name in log.directory['tables'] or name in log.directory['tables'] for log in bundle.logs for name in PARTS['guards']):,} tables",
        "verbatim": f"{_size(sum(chunk['size_bytes'] for log in bundle.logs for chunk in log.directory['verbatim']))} of text",
        "names": f"{plural(words, 'word')} and {plural(len(found.paths), 'path')}",
    }
    yield f"{'Preset ' + policy.preset if policy.preset else 'No preset'}. Goes:"
    yield from (_line(name, amounts) for name in CLASSES if name in policy.dropped)
    gone = [name for name in PARTS if name in policy.dropped and name not in CLASSES]
    if gone:
        yield f"  of the tables: {', '.join(gone)}"
    yield "Stays, besides structure, times, counts, kinds and torch's own messages:"
    yield from (_line(name, amounts) for name in CLASSES if name not in policy.dropped)
    yield f"  of the tables: {', '.join([*_ALWAYS, *(name for name in PARTS if name not in policy.dropped and name not in CLASSES)])}"
    if "payloads" in policy.dropped or "timeline" in policy.dropped:
        of_timeline = sum(sizes.values()) - payloads
        left = (0 if "payloads" in policy.dropped else payloads) + (0 if "timeline" in policy.dropped else of_timeline)
        what = "none" if not left else _size(left) + (", the timeline" if "payloads" in policy.dropped else "")
        yield f"Of {_size(sum(sizes.values()))} of payloads there is left: {what}."
    try:
        said = secrets(bundle)
    except BundleError as error:
        yield f"{error.message[0].upper()}{error.message[1:]}: {error.hint}"
        said = []
    else:
        yield f"Looks like a secret: {plural(len(said), 'place')}" + (":" if said else ".")
    yield from (f"  {shown(line)}" for line in said[:_SHOWN])
    if len(said) > _SHOWN:
        yield f"  … and {len(said) - _SHOWN:,} more"
    yield from _some("Addresses", addresses(bundle))
    yield from _some("Names", [name for name in found.own if not names.stays(name)])
    yield from _some("Paths", list(found.paths))


def _some(what: str, found: list[str]) -> Iterator[str]:
    if found:
        yield f"{what}: " + ", ".join(map(shown, found[:_SHOWN])) + (f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else "")


def _line(name: str, amounts: dict[str, str]) -> str:
    return f"  {name}: {CLASSES[name]}" + (f" ({amounts[name]})" if name in amounts else "")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 100_000 else f"{size_bytes / 1e3:.1f} kB"
