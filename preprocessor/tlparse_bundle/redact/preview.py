"""Previews a redaction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.redact.log_rewriter import records, text_of
from tlparse_bundle.redact.policy import CLASSES, PARTS, Policy
from tlparse_bundle.redact.redact import check_source, look
from tlparse_bundle.redact.text_rewriter import ADDRESS, PUBLIC_HOSTS, URL, is_long

_MAX_LINES = 50_000  # distinct ones; the rules take their time
_MAX_LINE = 1_000  # characters
# A log is full of hashes and versions.
_NOISE = ("Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector")
# Rules only match lines with one of these.
_MAY_BE = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|-----BEGIN|://[^/\s]*@|AKIA|hf_|ghp_|gho_|xox[a-z]-|sk-|eyJ",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-zA-Z]{2,24}\b")
_NO_ADDRESSES = ("127.0.0.1", "0.0.0.0")
_SHOWN = 12
_ALWAYS = ("compiles", "artifacts", "stacks", "events", "diagnostics")


def preview(bundle: Bundle, policy: Policy) -> Iterator[str]:
    """Return lines that list what is dropped and kept, with sizes, and possible secrets. Raise BundleError
    for a bundle that cannot be redacted.
    """
    check_source(bundle)
    log_names = look(bundle)
    sizes: dict[str, int] = {}
    timeline: set[str] = set()
    for log in bundle.logs:
        for path, row in log.blobs.items():
            sizes[path] = row["stored_size_bytes"]
            if row["kind"] == "timeline":
                timeline.add(path)
    payloads = sum(size for path, size in sizes.items() if path not in timeline)
    names = log_names.names()
    words = sum(not names.stays(word) for word in log_names.words)
    amounts = {
        "payloads": (
            f"{plural(sum(len(log.artifacts) for log in bundle.logs), 'artifact')}, {_size(payloads)} as they"
            " are stored"
        ),
        "source": (
            f"{plural(len(log_names.source), 'line')}, {sum(map(is_long, log_names.source)):,} of more than"
            " three words"
        ),
        "guards": (
            f"{sum(name in log.directory['tables'] for log in bundle.logs for name in PARTS['guards']):,}"
            " tables"
        ),
        "verbatim": (
            f"{_size(sum(chunk['size_bytes'] for log in bundle.logs for chunk in log.directory['verbatim']))}"
            " of text"
        ),
        "names": f"{plural(words, 'word')} and {plural(len(log_names.paths), 'path')}",
    }
    yield f"{'Preset ' + policy.preset if policy.preset else 'No preset'}. Goes:"
    yield from (_line(name, amounts) for name in CLASSES if name in policy.dropped)
    gone = [name for name in PARTS if name in policy.dropped and name not in CLASSES]
    if gone:
        yield f"  of the tables: {', '.join(gone)}"
    yield "Stays, besides structure, times, counts, kinds and torch's own messages:"
    yield from (_line(name, amounts) for name in CLASSES if name not in policy.dropped)
    kept = [name for name in PARTS if name not in policy.dropped and name not in CLASSES]
    yield f"  of the tables: {', '.join([*_ALWAYS, *kept])}"
    if "payloads" in policy.dropped or "timeline" in policy.dropped:
        of_timeline = sum(sizes.values()) - payloads
        left = (0 if "payloads" in policy.dropped else payloads) + (
            0 if "timeline" in policy.dropped else of_timeline
        )
        what = (
            "none" if not left else _size(left) + (", the timeline" if "payloads" in policy.dropped else "")
        )
        yield f"Of {_size(sum(sizes.values()))} of payloads there is left: {what}."
    try:
        places = secrets(bundle)
    except BundleError as error:
        yield f"{error.message[0].upper()}{error.message[1:]}. {error.hint}"
        places = []
    else:
        yield f"Looks like a secret: {plural(len(places), 'place')}" + (":" if places else ".")
    yield from (f"  {shown(line)}" for line in places[:_SHOWN])
    if len(places) > _SHOWN:
        yield f"  … and {len(places) - _SHOWN:,} more"
    yield from _some("Addresses", addresses(bundle))
    yield from _some("Names", [name for name in log_names.own if not names.stays(name)])
    yield from _some("Paths", list(log_names.paths))


def _some(what: str, items: list[str]) -> Iterator[str]:
    if items:
        yield (
            f"{what}: "
            + ", ".join(map(shown, items[:_SHOWN]))
            + (f" and {len(items) - _SHOWN:,} more" if len(items) > _SHOWN else "")
        )


def _line(name: str, amounts: dict[str, str]) -> str:
    return f"  {name}: {CLASSES[name]}" + (f" ({amounts[name]})" if name in amounts else "")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 100_000 else f"{size_bytes / 1e3:.1f} kB"


def addresses(bundle: Bundle) -> list[str]:
    """Return addresses of machines, sites and people in log order, without torch's pages and this machine."""
    listed: dict[str, None] = {}
    for log in bundle.logs:
        for junk, record in records(log):
            text = text_of(
                junk
                if record is None
                else record.kept + (b"" if record.payload is None else record.payload.data)
            )
            listed.update(dict.fromkeys(url for url in URL.findall(text) if not url.startswith(PUBLIC_HOSTS)))
            listed.update(
                dict.fromkeys(address for address in ADDRESS.findall(text) if address not in _NO_ADDRESSES)
            )
            if "@" in text:
                listed.update(dict.fromkeys(_MAIL.findall(text)))
    return list(listed)


def secrets(bundle: Bundle) -> list[str]:
    """Return one line per place with a secret: kind and log. Raise BundleError without the package."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings
    except ImportError:
        raise BundleError(
            "secrets cannot be found without detect-secrets",
            hint="Install it: pip install 'tlparse-bundle[secrets]'",
            code="not-installed",
        ) from None
    kinds: Iterable[type[object]] = get_mapping_from_secret_type_to_class().values()
    plugins = [{"name": kind.__name__} for kind in kinds if kind.__name__ not in _NOISE]
    seen: set[str] = set()
    places: list[str] = []
    with transient_settings({"plugins_used": plugins}):
        for log in bundle.logs:
            for junk, record in records(log):
                data = (
                    junk
                    if record is None
                    else record.kept + (b"" if record.payload is None else record.payload.data)
                )
                for line in text_of(data).split("\n"):
                    if len(seen) < _MAX_LINES and _MAY_BE.search(line) and line not in seen:
                        seen.add(line)
                        number = "" if record is None else f", line {record.line:,}"
                        places += [
                            f"{secret.type} in log {log.id}{number}" for secret in scan_line(line[:_MAX_LINE])
                        ]
    return places
