"""Finds one thing in a bundle by what a person types: a hash, a path, LOG/COMPILE/ARTIFACT."""

from __future__ import annotations

import re

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.json_codec import dumps_indented
from tlparse_bundle.read.reader import Bundle, Log

_ATTEMPT = re.compile(r"_\d+(?=@|$)")  # of the key of a compile
_NAMED = 5


def find(bundle: Bundle, what: str) -> bytes:
    """The bytes of a blob, an artifact, a timeline or a file, decoded.

    Raises BundleError that says what there is instead.
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
    keys = sorted((c.key for c in log.compiles if rest.startswith(c.key + "/")), key=len)
    if keys:
        key, name = keys[-1], rest[len(keys[-1]) + 1 :]
    return _artifact(log, key, name)


def _log_of(bundle: Bundle, what: str) -> tuple[Log, str]:
    """The log, and what is wanted of it. Without the name of a log it is the only one, if it has such a compile."""
    log_id, _, rest = what.partition("/")
    if all(log.id != log_id for log in bundle.logs):
        having = [log for log in bundle.logs if any(what.startswith(f"{compile.key}/") for compile in log.compiles)]
        if having and len(bundle.logs) == 1:
            return having[0], what
        if having:
            hint = "Name one: " + ", ".join(f"{log.id}/{what}" for log in having[:_NAMED])
            raise BundleError(f"{what} names no log; {len(having)} logs have such a compile", hint=hint, code="not-found")
    return bundle.log(log_id), rest


def _timeline(log: Log) -> bytes:
    """The packs of the chromium events, which are JSON arrays, as one."""
    packs = [log.blob(path).strip().removeprefix(b"[").removesuffix(b"]").strip() for path, row in log.blobs.items() if row["kind"] == "timeline"]
    return b"[\n" + b",\n".join(packs) + b"\n]\n"


def _artifact(log: Log, key: str, name: str) -> bytes:
    wanted, _, number = name.rpartition("#")
    if not wanted or not number.isdecimal() or len(number) > 9:
        wanted, number = name, "1"
    compile = next((c for c in log.compiles if c.key == key), None)
    if compile is None:
        raise _elsewhere(log, key, wanted) or log.unknown(key)
    same = [a for a in compile.artifacts if a.name == wanted]
    if not same:
        same, number = [a for a in compile.artifacts if a.name == name], "1"
    if not 1 <= int(number) <= len(same):
        if not any(a.name == wanted for a in compile.artifacts) and (error := _elsewhere(log, key, wanted)):
            raise error
        names = ", ".join(dict.fromkeys(a.name for a in compile.artifacts)) or "none"
        raise BundleError(f"compile {key} of {log.id} has no artifact {name!r}", hint=f"Its artifacts: {names}", code="not-found")
    artifact = same[int(number) - 1]
    data = artifact.bytes()
    return dumps_indented(artifact.json()) if data is None else data


def _elsewhere(log: Log, key: str, name: str) -> BundleError | None:
    """What to type when other attempts of the compile have the artifact."""
    base = _ATTEMPT.sub("", key)
    having = [compile.key for compile in log.compiles if compile.key != key and _ATTEMPT.sub("", compile.key) == base and any(a.name == name for a in compile.artifacts)]
    if not having:
        return None
    attempts = "the attempt" if len(having) == 1 else "the attempts"
    hint = "Type: " + ", or ".join(f"{log.id}/{other}/{name}" for other in having[:_NAMED])
    return BundleError(f"compile {key} of {log.id} has no artifact {name!r}; {attempts} {', '.join(having[:_NAMED])} {'has' if len(having) == 1 else 'have'} it", hint=hint, code="not-found")
