"""Shell completion: files, viewers, schemas, and the contents of the bundle on the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.row_objects import Artifact

_MAX_WORDS = 2000


def file_completion(incomplete: str) -> list[CompletionItem]:
    """Return the item that makes the shell complete a path."""
    return [CompletionItem(incomplete, type="file")]


def complete_paths(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return file_completion(incomplete)


def _completer(
    words: Callable[[click.Context, str], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a function for ``shell_complete``; any error completes nothing, without a traceback."""

    @wraps(words)
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            matching = list(
                dict.fromkeys(
                    word
                    for word in words(ctx, incomplete)
                    if word.startswith(incomplete) and word.isprintable()
                )
            )
        except Exception:
            return []
        return [CompletionItem(word) for word in matching[:_MAX_WORDS]]

    return complete


def _bundle(ctx: click.Context) -> Bundle:
    from tlparse_bundle.bundle.reader import Bundle

    # While an option still lacks its value, click has not filled in the parameters.
    return Bundle.open(ctx.params.get("bundle") or ctx.args[0])


@_completer
def complete_viewers(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.serve.viewers import forkable

    return forkable()


@_completer
def complete_forks(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.serve.publish.fork import names

    return names()


@_completer
def complete_schemas(ctx: click.Context, incomplete: str) -> Iterable[str]:
    from tlparse_bundle.bundle.schemas import document_names, schema_names

    return [*schema_names(), *document_names()]


@_completer
def complete_logs(ctx: click.Context, incomplete: str) -> Iterable[str]:
    return [log.id for log in _bundle(ctx).logs]


@_completer
def complete_compiles(ctx: click.Context, incomplete: str) -> Iterable[str]:
    return [compile.key for log in _bundle(ctx).logs for compile in log.compiles]


@_completer
def complete_contents(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Complete logs, then the compiles of the log, then the artifacts of the compile.

    A log or compile without alternatives is entered at once, since a shell adds a space after a full word.
    """
    logs = {f"{log.id}/": log for log in _bundle(ctx).logs}
    chosen = _chosen(logs, incomplete)
    if chosen is None:
        return logs
    log = logs[chosen]
    compiles: dict[str, list[Artifact]] = {
        f"{chosen}{key or '-'}/": artifacts for key, artifacts in log.artifacts_by_compile.items()
    } | {f"{chosen}timeline": []}
    chosen_compile = _chosen(compiles, incomplete)
    if chosen_compile is None or not compiles[chosen_compile]:
        return compiles
    names: list[str] = []
    seen: Counter[str] = Counter()
    for artifact in compiles[chosen_compile]:
        seen[artifact.name] += 1
        names.append(
            f"{chosen_compile}{artifact.name}"
            + (f"#{seen[artifact.name]}" if seen[artifact.name] > 1 else "")
        )
    return names


def _chosen(paths: Iterable[str], incomplete: str) -> str | None:
    """Return the longest path that was typed in full, or the only path that matches."""
    typed = max((path for path in paths if incomplete.startswith(path)), key=len, default=None)
    possible = [path for path in paths if path.startswith(incomplete)]
    return typed or (possible[0] if len(possible) == 1 else None)
