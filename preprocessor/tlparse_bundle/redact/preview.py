"""What a redacted bundle would have, before there is one."""

from __future__ import annotations

from collections.abc import Iterator

from tlparse_bundle.errors import BundleError
from tlparse_bundle.read.reader import Bundle
from tlparse_bundle.redact.drop import TABLES
from tlparse_bundle.redact.policy import CLASSES, Policy
from tlparse_bundle.redact.redact import check_source, look
from tlparse_bundle.redact.secrets import secrets
from tlparse_bundle.redact.text import is_long
from tlparse_bundle.shown import shown

_SHOWN = 12


def preview(bundle: Bundle, policy: Policy) -> Iterator[str]:
    """Lines that say what goes, what stays, how much that is, and what looks like a secret. Raises BundleError for a bundle that cannot be redacted."""
    check_source(bundle)
    found = look(bundle)
    sizes: dict[str, int] = {}
    timeline: set[str] = set()
    for log in bundle.logs:
        for row, size in enumerate(log.blobs["stored_size_bytes"]):
            sizes[log.blob_path(row)] = size
        timeline.update(log.blob_path(row) for row in log.directory["timeline"])
    payloads = sum(size for path, size in sizes.items() if path not in timeline)
    names = found.names()
    words = sum(not names.stays(word) for word in found.words)
    amounts = {
        "payloads": f"{sum(len(log.artifacts) for log in bundle.logs):,} artifacts, {payloads / 1e6:.1f} MB as they are stored",
        "source": f"{len(found.source):,} lines, {sum(map(is_long, found.source)):,} of more than three words",
        "guards": f"{sum(name in log.directory['tables'] for log in bundle.logs for name in TABLES['guards']):,} tables",
        "verbatim": f"{sum(chunk['size_bytes'] for log in bundle.logs for chunk in log.directory['verbatim']) / 1e6:.1f} MB of text",
        "names": f"{words:,} words and {len(found.paths):,} paths",
    }
    yield f"{'Preset ' + policy.preset if policy.preset else 'No preset'}. Goes:"
    yield from (_line(name, amounts) for name in CLASSES if name in policy.dropped)
    yield "Stays, besides structure, times, counts, kinds and torch's own messages:"
    yield from (_line(name, amounts) for name in CLASSES if name not in policy.dropped)
    if "payloads" in policy.dropped:
        left = sum(sizes.values()) - payloads
        yield f"Of {sum(sizes.values()) / 1e6:.1f} MB of payloads {left / 1e6:.1f} MB are left: the timeline."
    try:
        said = secrets(bundle)
    except BundleError as error:
        yield f"{error.message[0].upper()}{error.message[1:]}: {error.hint}"
        said = []
    else:
        yield f"Looks like a secret: {len(said):,} places" + (":" if said else ".")
    yield from (f"  {shown(line)}" for line in said[:_SHOWN])
    if len(said) > _SHOWN:
        yield f"  … and {len(said) - _SHOWN:,} more"
    yield "Names such as:"
    own = [name for name in found.own if not names.stays(name)]
    yield "  " + (", ".join(map(shown, own[:_SHOWN])) or "none") + (f" and {len(own) - _SHOWN:,} more" if len(own) > _SHOWN else "")
    yield from (f"  {shown(path)}" for path in list(found.paths)[:_SHOWN])


def _line(name: str, amounts: dict[str, str]) -> str:
    return f"  {name}: {CLASSES[name]}" + (f" ({amounts[name]})" if name in amounts else "")
