"""Functions that viewers/lib/local/python-worker.js calls, on Python's virtual file system."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from glob import escape
from pathlib import Path
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.log.discover import Skipped, discover, left_out

# Import what the first build needs while the page waits for a log.
from tlparse_bundle.pipeline import rank_files  # noqa: F401
from tlparse_bundle.pipeline.build import build

_PROFILES = (".json", ".json.gz")
_NO_MEMORY = {
    "message": "the browser ran out of memory for this log",
    "hint": "Build it on the command line, which needs 70 MB for any log: tlparse-bundle LOG",
    "code": "memory",
}


def answer(name: str, *values: Any) -> str:
    """Call a function of this module by name; return JSON: {result}, or {error: {message, hint, code}}."""
    try:
        return dumps({"result": _JOBS[name](*values)}).decode()
    except BundleError as error:
        return dumps({"error": {"message": error.message, "hint": error.hint, "code": error.code}}).decode()
    except MemoryError:
        return dumps({"error": _NO_MEMORY}).decode()


def build_bundle(
    names: Sequence[str], out: str, codec: str, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Build the logs, files or folders in the working folder, into the folder ``out``.

    A file whose name ends as that of a profiler trace is one, and is joined to the logs.
    ``progress`` gets the number of bytes read. ``left_out`` in the result names skipped files, or is "".
    """
    skipped: list[Skipped] = []
    profiles = [name for name in names if name.lower().endswith(_PROFILES) and Path(name).is_file()]
    if len(profiles) == len(names):  # logs with such names
        profiles = []
    logs = discover([name for name in names if name not in profiles], skipped=skipped)
    result = build(
        logs, out, codec=codec, jobs=1, progress=progress, profile=[escape(name) for name in profiles]
    )
    unread = [
        message
        for code, messages in result.manifest.get("diagnostics", {}).items()
        if code.startswith("profile-")
        for message in messages
    ]
    notes = [note for note in (left_out(skipped), *unread) if note]
    return {"log_count": len(result.manifest["logs"]), "left_out": " ".join(notes)}


def compare_bundles(base: str, base_name: str, new: str, new_name: str, out: str) -> None:
    """Write the comparison of the bundles in two folders to the file ``out``."""
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.statements.runs.compare.document import compare

    Path(out).write_bytes(dumps(compare([(base_name, Bundle.open(base))], [(new_name, Bundle.open(new))])))


def export_bundle(folder: str, out: str) -> None:
    """Write the bundle in a folder as one HTML page to the file ``out``."""
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.publish.export import export, viewers_of

    bundle = Bundle.open(folder)
    with Path(out).open("wb") as file:
        file.writelines(export(bundle, viewers_of(bundle)))


def export_pair(base: str, new: str, document: str, out: str) -> None:
    """Write a comparison as one HTML page to the file ``out``; ``document`` is the path of its JSON."""
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.serve.publish.export import export_comparison

    sides = {"base": Bundle.open(base), "new": Bundle.open(new)}
    with Path(out).open("wb") as file:
        file.writelines(export_comparison(loads(Path(document).read_bytes()), sides))


def remove(path: str) -> None:
    """Remove a file or a folder, if it exists."""
    if Path(path).is_dir():
        shutil.rmtree(path)
    else:
        Path(path).unlink(missing_ok=True)


_JOBS = {job.__name__: job for job in (build_bundle, compare_bundles, export_bundle, export_pair, remove)}
