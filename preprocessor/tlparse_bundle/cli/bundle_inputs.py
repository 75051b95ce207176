"""Open or build the bundles that a user names, and choose names for new ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.cli.output import say, shown

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.log.discover import Skipped
    from tlparse_bundle.pipeline.build import BuildResult


def build_logs(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    quiet: bool = False,
    latest: bool = False,
    ranks: list[int] | None = None,
    **options: Any,
) -> tuple[BuildResult, list[Skipped]]:
    """Build a bundle with the ``options`` of ``build``; return the result and the files that were skipped."""
    from tlparse_bundle.cli.progress import Bar
    from tlparse_bundle.log.discover import discover, left_out
    from tlparse_bundle.pipeline.build import build

    skipped: list[Skipped] = []
    logs = discover(paths, latest=latest, ranks=ranks, skipped=skipped)
    if skipped:
        say(left_out(skipped), err=True)
    with Bar(sum(log.size_bytes for log in logs), len(logs), hidden=quiet) as bar:
        return build(logs, out, progress=bar.advance, **options), skipped


@contextmanager
def opened(location: str | Path, *, quiet: bool = True) -> Iterator[Bundle]:
    """Open the bundle at a location; build a temporary one if it is a trace."""
    from tlparse_bundle.base.remote import is_url
    from tlparse_bundle.bundle.layout import MANIFEST
    from tlparse_bundle.bundle.reader import Bundle

    # A folder with a damaged manifest is a bundle, too.
    if is_url(location) or os.path.lexists(os.path.join(location, MANIFEST)):
        yield Bundle.open(location)
        return
    from tlparse_bundle.bundle.atomic.folder import temporary_folder

    with temporary_folder() as folder:
        out = folder / bundle_name(location)
        build_logs([location], out, quiet=quiet)
        yield Bundle.open(out)


def refuse_bundles(paths: Sequence[str | Path]) -> None:
    """Raise BundleError if one of the paths is a bundle."""
    from tlparse_bundle.base.remote import is_url
    from tlparse_bundle.pipeline.target import is_bundle

    for path in paths:
        if not is_url(path) and is_bundle(Path(path)):
            hint = f"View it: tlparse-bundle serve {shown(path)}. To merge bundles: tlparse-bundle merge."
            raise BundleError(f"'{shown(path)}' is a bundle, not a trace", hint=hint, code="is-bundle")


def bundle_name(trace: str | Path) -> str:
    """Return a name for the bundle of a trace: the last part of its path, without file extensions."""
    from tlparse_bundle.base.remote import is_url

    if is_url(trace):
        last, is_file = str(trace).rstrip("/").rpartition("/")[2], True
    else:
        path = Path(os.path.abspath(trace))
        last, is_file = path.name, path.is_file()
    if is_file:
        from tlparse_bundle.log.discover import ENDINGS

        last = ENDINGS.sub("", last)
    return last or "trace"


def default_out(trace: str | Path) -> Path:
    """Return the default path of the bundle of a trace, in the working folder."""
    return Path(f"{bundle_name(trace)}-bundle")
