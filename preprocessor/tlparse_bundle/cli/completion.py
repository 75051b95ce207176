"""What a shell may complete: files, viewers, schemas, and what is in the bundle that stands in the line
already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle

_MOST = 2000


def files(incomplete: str) -> list[CompletionItem]:
    """What the shell itself completes."""
    return [CompletionItem(incomplete, type="file")]


def places(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return files(incomplete)


def _words(words: Callable[[click.Context, str], Iterable[str]]):
    """A function for ``shell_complete``: nothing where anything goes wrong, since nobody wants a traceback
    for a key.
    """

    @wraps(words)
    def completed(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            found = list(
                dict.fromkeys(
                    word
                    for word in words(ctx, incomplete)
                    if word.startswith(incomplete) and word.isprintable()
                )
            )
        except Exception:
            return []
        return [CompletionItem(word) for word in found[:_MOST]]

    return completed


def _bundle(ctx: click.Context) -> Bundle:
    from tlparse_bundle.bundle.reader import Bundle

    return Bundle.open(
        ctx.params.get("bundle") or ctx.args[0]
    )  # with an option that waits for its value, click puts nothing in place yet


@_words
def viewers(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.serve.viewer_files import forkable

    return forkable()


@_words
def forks(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.serve.publish.fork import names

    return names()


@_words
def schemas(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.bundle.schemas import document_names, schema_names

    return [*schema_names(), *document_names()]


@_words
def logs(ctx: click.Context, incomplete: str) -> Iterable[str]:
    return [log.id for log in _bundle(ctx).logs]


@_words
def compiles(ctx: click.Context, incomplete: str) -> Iterable[str]:
    return [compile.key for log in _bundle(ctx).logs for compile in log.compiles]


@_words
def things(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Step by step: logs, then the compiles of the one that is named, then the artifacts of the compile.

    What is the only one of its kind is gone into at once: a shell puts a space behind what it completes to
    the end.
    """
    logs = {f"{log.id}/": log for log in _bundle(ctx).logs}
    chosen = _chosen(logs, incomplete)
    if chosen is None:
        return logs
    log = logs[chosen]
    compiles = {
        f"{chosen}{key or '-'}/": artifacts for key, artifacts in log.artifacts_by_compile.items()
    } | {f"{chosen}timeline": []}
    chosen_compile = _chosen(compiles, incomplete)
    if not compiles.get(chosen_compile):
        return compiles
    names, seen = [], Counter()
    for artifact in compiles[chosen_compile]:
        seen[artifact.name] += 1
        names.append(
            f"{chosen_compile}{artifact.name}"
            + (f"#{seen[artifact.name]}" if seen[artifact.name] > 1 else "")
        )
    return names


def _chosen(paths: Iterable[str], incomplete: str) -> str | None:
    """The longest of the paths that has been typed, or the only one that can be meant."""
    typed = max((path for path in paths if incomplete.startswith(path)), key=len, default=None)
    possible = [path for path in paths if path.startswith(incomplete)]
    return typed or (possible[0] if len(possible) == 1 else None)
