"""What the user says about the traced program: its label, its commit, where its sources are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.terminal_text import shown

_MAX_NAME = 100  # characters
_MAX_URL = 500
_MAX_ROOTS = 100
_EXAMPLES = {"label": "bert-train", "commit": "the output of 'git rev-parse HEAD'"}
# No user name, which may be a secret, and no placeholder in the host.
_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]_-]+/[!#-;=?-Z_a-z{}~\[\]]*")
_MARK = re.compile(r"\{[^{}]*\}|[{}]")
_MARKS = ("{commit}", "{path}", "{line}")
_EXAMPLE_URL = "https://github.com/ORG/REPO/blob/{commit}/{path}#L{line}"


def program_fields(
    label: str | None = None,
    commit: str | None = None,
    source_url: str | None = None,
    source_roots: Sequence[str] = (),
) -> dict[str, Any]:
    """Return 'label', 'commit' and 'source_links' of the manifest (schema: manifest), as far as given.

    ``source_roots``: folders of the program that the repository has, as 'FOLDER' or 'FOLDER=FOLDER IN THE
    REPOSITORY'. Raises BundleError for a label or commit that is empty, longer than 100 characters or not
    printable, and for a URL or a folder that cannot be used.
    """
    names = {key: text for key, text in (("label", label), ("commit", commit)) if text is not None}
    for key, text in names.items():
        if not text.strip() or len(text) > _MAX_NAME or not text.isprintable():
            raise _refused(
                f"--{key} {shown(text[:_MAX_NAME])!r} is not valid",
                f"Pass one line of at most {_MAX_NAME} characters, such as {_EXAMPLES[key]}.",
            )
    if source_url is None:
        if source_roots:
            raise _refused("--source-root needs --source-url", f"Add --source-url '{_EXAMPLE_URL}'.")
        return names
    return names | {"source_links": _source_links(source_url, source_roots, commit is not None)}


def _source_links(url: str, roots: Sequence[str], has_commit: bool) -> dict[str, Any]:
    if problem := _url_problem(url):
        raise _refused(
            f"--source-url {shown(url[:_MAX_URL])!r} is not valid: {problem}",
            f"Write for example '{_EXAMPLE_URL}'.",
        )
    if "{commit}" in url and not has_commit:
        raise _refused(
            "--source-url has {commit}, and no commit is given", "Add --commit $(git rev-parse HEAD)."
        )
    if not roots:
        raise _refused(
            "--source-url needs --source-root",
            "Pass the folder of the repository on the machine that ran the program, such as --source-root "
            "/home/me/repo. Repeat it for several folders.",
        )
    if len(roots) > _MAX_ROOTS:
        raise _refused(f"--source-root is given {len(roots)} times", f"Pass at most {_MAX_ROOTS}.")
    return {"url": url, "roots": [_root(text) for text in roots]}


def _url_problem(url: str) -> str | None:
    if len(url) > _MAX_URL:
        return f"it is longer than {_MAX_URL} characters"
    if not _URL.fullmatch(url):
        return "it must start with https:// or http:// and a host, without a user name or spaces"
    unknown = [mark for mark in _MARK.findall(url) if mark not in _MARKS]
    if unknown:
        return f"{unknown[0]} is not one of {', '.join(_MARKS)}"
    return None if "{path}" in url else "it has no {path}"


def _root(text: str) -> dict[str, str]:
    folder, _, inside = text.partition("=")
    inside = inside.strip("/")
    parts = inside.split("/")
    if not folder.strip("/\\ ") or not text.isprintable() or {".", ".."} & set(parts):
        raise _refused(
            f"--source-root {shown(text[:_MAX_URL])!r} is not valid",
            "Pass a folder such as /home/me/repo, or with the folder of the repository that it has: "
            "/opt/site-packages/model=src/model.",
        )
    return {"folder": folder.rstrip("/\\"), "inside": inside}


def _refused(message: str, hint: str) -> BundleError:
    return BundleError(message, hint=hint, code="bad-name", exit_code=2)
