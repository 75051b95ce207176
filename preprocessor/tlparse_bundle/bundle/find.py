"""Finds a file or payload in a bundle by hash, path or LOG/COMPILE/ARTIFACT."""

from __future__ import annotations

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle import layout
from tlparse_bundle.bundle.json_codec import dumps_indented
from tlparse_bundle.bundle.reader import Bundle, Log
from tlparse_bundle.bundle.row_objects import Artifact

OUTSIDE = "-"  # what a person types for "outside any compile"
_NAMED = 5


def find(bundle: Bundle, what: str) -> bytes:
    """Return the decoded bytes of a blob, artifact, timeline or file. Raise BundleError that lists what
    exists.
    """
    if len(what) == 64 and all(c in "0123456789abcdef" for c in what):
        return bundle.blob(what)
    if what == layout.MANIFEST or what.startswith(("logs/", "ranks/", "blobs/", "live/")):
        return bundle.read(what)
    log, rest = _log_of(bundle, what)
    if rest == "timeline":
        return _timeline(log)
    key, _, name = rest.rpartition("/")
    # Names of artifacts may hold slashes; the longest compile key that fits decides.
    keys = sorted((key for key in _addresses(log) if rest.startswith(key + "/")), key=len)
    if keys:
        key, name = keys[-1], rest[len(keys[-1]) + 1 :]
    return _artifact(log, key, name)


def _log_of(bundle: Bundle, what: str) -> tuple[Log, str]:
    """Return the log and the rest of the name. Without a log name, the only log is used if it has such a
    compile.
    """
    log_id, _, rest = what.partition("/")
    if all(log.id != log_id for log in bundle.logs):
        having = [log for log in bundle.logs if any(what.startswith(f"{key}/") for key in _addresses(log))]
        if having and len(bundle.logs) == 1:
            return having[0], what
        if having:
            hint = "Use one of: " + ", ".join(f"{log.id}/{what}" for log in having[:_NAMED])
            raise BundleError(
                f"'{what}' is ambiguous: {len(having)} logs have this compile", hint=hint, code="not-found"
            )
    return bundle.log(log_id), rest


def _timeline(log: Log) -> bytes:
    """Return the packs of chromium events, JSON arrays, as one array."""
    packs = [
        log.blob(path).strip().removeprefix(b"[").removesuffix(b"]").strip()
        for path, row in log.blobs.items()
        if row["kind"] == "timeline"
    ]
    return b"[\n" + b",\n".join(packs) + b"\n]\n"


def _artifact(log: Log, key: str, name: str) -> bytes:
    wanted_name, _, number = name.rpartition("#")
    if not wanted_name or not number.isdecimal() or len(number) > 9:
        wanted_name, number = name, "1"
    addresses = _addresses(log)
    if key not in addresses:
        raise log.unknown(key)
    artifacts = addresses[key]
    candidates = [artifact for artifact in artifacts if artifact.name == wanted_name]
    if not candidates:
        candidates, number = [artifact for artifact in artifacts if artifact.name == name], "1"
    attempts = sorted({artifact.attempt or 0 for artifact in candidates})
    if len(attempts) > 1 and attempts[0] > 0:
        tried = [_attempt_name(key, attempt) for attempt in attempts]
        hint = f"Use one of: {', or '.join(f'{log.id}/{one}/{name}' for one in tried[:_NAMED])}"
        raise BundleError(
            f"{name!r} is ambiguous: compile {key} of {log.id} has it in attempts"
            f" {', '.join(tried[:_NAMED])}",
            hint=hint,
            code="not-found",
        )
    candidates = [artifact for artifact in candidates if (artifact.attempt or 0) == attempts[0]]
    if not 1 <= int(number) <= len(candidates):
        names = ", ".join(dict.fromkeys(artifact.name for artifact in artifacts)) or "none"
        raise BundleError(
            f"compile {key} of {log.id} has no artifact {name!r}",
            hint=f"Its artifacts: {names}",
            code="not-found",
        )
    artifact = candidates[int(number) - 1]
    data = artifact.bytes()
    return dumps_indented(artifact.json()) if data is None else data


def _addresses(log: Log) -> dict[str, list[Artifact]]:
    """Return artifacts by compile key, by name of a later attempt, and by '-' outside any compile."""
    by_address: dict[str, list[Artifact]] = {compile.key: [] for compile in log.compiles}
    for artifact in log.artifacts:
        key = OUTSIDE if artifact.compile is None else artifact.compile
        by_address.setdefault(key, []).append(artifact)
        if artifact.attempt:
            by_address.setdefault(_attempt_name(key, artifact.attempt), []).append(artifact)
    return by_address


def _attempt_name(key: str, attempt: int) -> str:
    """Return the name of an attempt: '1/0_1@2' for attempt 1 of the compile '1/0@2'."""
    id, mark, occurrence = key.partition("@")
    return f"{id}_{attempt}{mark}{occurrence}"
