"""Files that a command names with patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.remote import is_url
from tlparse_bundle.base.terminal_text import shown


def matching_files(
    patterns: Sequence[str], *, option: str, files: str, code: str, example: str
) -> list[Path]:
    """Return the files that match patterns; of a folder, all files in it.

    Raises BundleError for a URL and for a pattern without files. Its message names ``option`` and ``files``;
    'no-' or 'bad-' and ``code`` is its code.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        if is_url(pattern):
            raise BundleError(
                f"{option} {shown(pattern)}: {files} are not read from URLs",
                hint="Copy them to this machine.",
                code=f"bad-{code}",
                exit_code=2,
            )
        folder = os.path.isdir(pattern)
        paths = glob.glob(os.path.join(glob.escape(pattern), "*") if folder else pattern, recursive=True)
        if not paths and os.path.lexists(pattern):
            paths = [pattern]
        matching = sorted(path for path in paths if not os.path.isdir(path))
        if not matching:
            raise BundleError(
                f"{option} {shown(pattern)}: no file matches",
                hint=f"Quote the pattern, as in {option} '{example}'.",
                code=f"no-{code}",
                exit_code=2,
            )
        found |= dict.fromkeys(map(Path, matching))
    return list(found)
