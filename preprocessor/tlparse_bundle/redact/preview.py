"""Previews a redaction: what goes, what stays, and the texts that a person may want to keep."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown
from tlparse_bundle.base.wording import plural
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.schemas import row_tables
from tlparse_bundle.redact.policy import CLASSES, PARTS, Policy, keepable
from tlparse_bundle.redact.redact import check_source

_MAX_ROWS = 20_000  # of a table that are looked at
_MAX_VALUES = 2_000  # distinct ones of a field
_EXAMPLES, _EXAMPLE_LENGTH = 2, 60
_MAX_LINES = 20_000  # distinct ones; the rules take their time
_MAX_LINE = 1_000  # characters
_SHOWN = 12
_ALWAYS = ("compiles", "artifacts", "stacks", "events", "diagnostics")
# A log is full of hashes and versions.
_NOISE = ("Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector")
# Rules only match lines with one of these.
_MAY_BE = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|-----BEGIN|://[^/\s]*@|AKIA|hf_|ghp_|gho_|xox[a-z]-|sk-|eyJ",
    re.IGNORECASE,
)


def preview(bundle: Bundle, policy: Policy) -> Iterator[str]:
    """Return lines that list what is dropped and kept, and possible secrets in what is kept.

    Raises BundleError for a bundle that cannot be redacted.
    """
    check_source(bundle)
    texts = _texts(bundle)
    yield f"{'Preset ' + policy.preset if policy.preset else 'No preset'}. Removed:"
    yield from (f"  {name}: {CLASSES[name]}" for name in CLASSES if name in policy.dropped)
    if gone := [name for name in PARTS if name in policy.dropped]:
        yield f"  tables: {', '.join(gone)}"
    kept = [name for name in PARTS if name not in policy.dropped]
    yield "Kept: structure, counts, sizes, times, and the names of what torch and Python ship"
    yield f"  tables: {', '.join([*_ALWAYS, *kept])}"
    yield "Replaced by pseudonyms: names of functions, files, modules, tensors, logs and payloads"
    yield "Fields with text in this bundle. To keep one: --keep FIELD"
    for field, values in sorted(texts.items()):
        mark = " (kept)" if field in policy.kept else ""
        count = f"{len(values):,}{'+' if len(values) >= _MAX_VALUES else ''}"
        examples = ", ".join(repr(shown(value[:_EXAMPLE_LENGTH])) for value in list(values)[:_EXAMPLES])
        yield f"  {field}: {count} different{mark}, such as {examples}"
    yield from _secrets(bundle, policy, texts)


def _texts(bundle: Bundle) -> dict[str, dict[str, None]]:
    """Return some values of each field with text or source code, by field."""
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    fields: dict[str, list[str]] = defaultdict(list)
    for path in keepable():
        fields[path.partition(".")[0]].append(path)
    for table, paths in fields.items():
        for row in _some_rows(bundle, table):
            for path in paths:
                if len(texts.get(path, ())) < _MAX_VALUES:
                    for text in _at(row, path.split(".")[1:]):
                        texts[path].setdefault(text)
    return texts


def _some_rows(bundle: Bundle, table: str) -> Iterator[dict[str, Any]]:
    left = _MAX_ROWS
    if row_tables()[table] == "ranks":
        rows = [iter(bundle.rank_table(table))] if table in bundle.manifest.get("rank_tables", {}) else []
    else:
        rows = [log.stream(table) for log in bundle.logs if table in log.directory["tables"]]
    for each in rows:
        for row in each:
            if not left:
                return
            left -= 1
            yield row


def _at(value: Any, keys: list[str]) -> Iterator[str]:
    """Yield the texts at a path of keys."""
    if type(value) is list:
        for one in value:
            yield from _at(one, keys)
    elif type(value) is dict and keys:
        if keys[0] in value:
            yield from _at(value[keys[0]], keys[1:])
        else:
            for one in value.values():
                yield from _at(one, keys)
    elif type(value) is dict:
        for name, one in value.items():
            yield f"{name}={one}"[:_MAX_LINE]
    elif value is not None and not keys:
        yield str(value)[:_MAX_LINE]


def _secrets(bundle: Bundle, policy: Policy, texts: dict[str, dict[str, None]]) -> Iterator[str]:
    """Yield what looks like a secret in the texts and payloads that the policy keeps."""
    if not policy.kept and "payloads" in policy.dropped:
        return
    try:
        places = _found(
            {field: values for field, values in texts.items() if field in policy.kept}, bundle, policy
        )
    except BundleError as error:
        yield f"{error.message[0].upper()}{error.message[1:]}. {error.hint}"
        return
    yield f"Looks like a secret: {plural(len(places), 'place')}" + (":" if places else ".")
    yield from (f"  {shown(line)}" for line in places[:_SHOWN])
    if len(places) > _SHOWN:
        yield f"  … and {len(places) - _SHOWN:,} more"


def _found(texts: dict[str, dict[str, None]], bundle: Bundle, policy: Policy) -> list[str]:
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
    places: dict[str, None] = {}
    with transient_settings({"plugins_used": plugins}):
        for place, line in _lines(texts, bundle, policy):
            if len(seen) < _MAX_LINES and line not in seen and _MAY_BE.search(line):
                seen.add(line)
                places.update(dict.fromkeys(f"{secret.type} in {place}" for secret in scan_line(line)))
    return list(places)


def _lines(texts: dict[str, dict[str, None]], bundle: Bundle, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield the lines that the policy keeps, each with its place."""
    for field, values in texts.items():
        for value in values:
            yield from ((field, line[:_MAX_LINE]) for line in value.split("\n"))
    if "payloads" not in policy.dropped:
        for log in bundle.logs:
            yield from _payload_lines(log)


def _payload_lines(log: Log) -> Iterator[tuple[str, str]]:
    for artifact in log.artifacts:
        text = artifact.text() or ""
        for line in text.split("\n"):
            yield f"{artifact.name} of log {log.id}", line[:_MAX_LINE]
