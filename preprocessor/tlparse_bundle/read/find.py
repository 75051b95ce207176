"""Finds one thing in a bundle by what a person types: a hash, a path, LOG/COMPILE/ARTIFACT."""

from __future__ import annotations

from tlparse_bundle.errors import BundleError
from tlparse_bundle.format import layout
from tlparse_bundle.format.json_codec import dumps_indented
from tlparse_bundle.read.reader import Bundle, Log


def find(bundle: Bundle, what: str) -> bytes:
    """The bytes of a blob, an artifact, a timeline or a file, decoded.

    Raises BundleError that says what there is instead.
    """
    if len(what) == 64 and all(c in "0123456789abcdef" for c in what):
        return bundle.blob(what)
    if what == layout.MANIFEST or what.startswith(("logs/", "ranks/", "blobs/")):
        return bundle.read(what)
    log_id, _, rest = what.partition("/")
    log = bundle.log(log_id)
    if rest == "timeline":
        return _timeline(log)
    key, _, name = rest.rpartition("/")
    # Names of artifacts may hold slashes; the longest compile key that fits decides.
    keys = sorted((c.key for c in log.compiles if rest.startswith(c.key + "/")), key=len)
    if keys:
        key, name = keys[-1], rest[len(keys[-1]) + 1 :]
    return _artifact(log, key, name)


def _timeline(log: Log) -> bytes:
    """The packs of the chromium events, which are JSON arrays, as one."""
    packs = [log.blob(row).strip().removeprefix(b"[").removesuffix(b"]").strip() for row in log.directory["timeline"]]
    return b"[\n" + b",\n".join(packs) + b"\n]\n"


def _artifact(log: Log, key: str, name: str) -> bytes:
    compile = log.compile(key)
    wanted, _, number = name.rpartition("#")
    if not wanted or not number.isdecimal() or len(number) > 9:
        wanted, number = name, "1"
    same = [a for a in compile.artifacts if a.name == wanted]
    if not same:
        same, number = [a for a in compile.artifacts if a.name == name], "1"
    if not 1 <= int(number) <= len(same):
        names = ", ".join(dict.fromkeys(a.name for a in compile.artifacts)) or "none"
        raise BundleError(f"compile {key} of {log.id} has no artifact {name!r}", hint=f"Its artifacts: {names}", code="not-found")
    artifact = same[int(number) - 1]
    data = artifact.bytes()
    return dumps_indented(artifact.json()) if data is None else data
