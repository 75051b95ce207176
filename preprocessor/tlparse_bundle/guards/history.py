"""The cache entries of a function in a log, and predictions for its calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.guards.evidence import implied
from tlparse_bundle.guards.predicates import predicates
from tlparse_bundle.guards.replay import Circumstances, Entry, Prediction, Replay, predict

_COMPILE = re.compile(r"\[?(!?\d+(?:/\d+)+(?:@\d+)?)\]?")
_TREE = "dynamo_cpp_guards_str"
_DEFAULT_LIMIT = 8  # torch/_dynamo/config.py, recompile_limit
_LIMITS = ("recompile_limit", "cache_size_limit")  # the latter until torch 2.5
_SHOWN = 8


class LogTables(Protocol):
    """The part of a log that predictions need."""

    id: str

    @property
    def artifacts(self) -> Sequence[Any]: ...

    def table(self, name: str) -> list[Any]: ...

    def compile(self, key: str) -> Any: ...


@dataclass(frozen=True)
class History:
    """The cache entries of a code object in the order in which they were compiled. ``limit``: the number of
    entries at which torch stops to compile. ``checks_autocast``: see ``Circumstances``.
    """

    function: str
    entries: tuple[Entry, ...]
    limit: int
    checks_autocast: bool = False

    def next_call(self, call: Mapping[str, Any]) -> Prediction:
        """Predict a call after the last one of the log. Globals and modules are as the last compile saw
        them.
        """
        circumstances = Circumstances()
        for entry in self.entries:
            circumstances.learn(entry)
        prediction = predict(self.entries[::-1], call, circumstances)
        return (
            prediction.refused() if prediction.recompiles and len(self.entries) >= self.limit else prediction
        )

    def replay(self, calls: Iterable[Mapping[str, Any]]) -> Iterator[Prediction]:
        """Predict a sequence of calls from the start of the run."""
        replay = Replay(self.entries, self.limit, checks_autocast=self.checks_autocast)
        for call in calls:
            yield replay.call(call)


def history(log: LogTables, function: str) -> History:
    """Return the cache entries of a function: its name, ``file.py:12``, or a compile of it such as 0/1.

    Raises BundleError for an unknown or ambiguous function, and when the log has no guards of it.
    """
    code_object = _code_object(log, function)
    compiles = dict.fromkeys(code_object["compiles"])
    payloads = {
        artifact.compile: artifact
        for artifact in log.artifacts
        if artifact.type == _TREE and artifact.compile in compiles
    }
    entries = []
    for compile in compiles:
        artifact = payloads.get(compile)
        if artifact is None:
            continue
        text = artifact.text()
        if text is None:
            raise BundleError(
                f"the guards of {compile} are not in this bundle",
                hint="Build the bundle of the log again; a redacted bundle has no payloads.",
                code="left-out",
            )
        entries.append(Entry(compile, (*predicates(text), *implied(text))))
    if not entries:
        raise BundleError(
            f"log {log.id} has no guards of '{function}'",
            hint="torch 2.4 and newer log them (dynamo_cpp_guards_str), for compiles that succeed.",
            code="not-found",
        )
    last = _metrics(log, entries[-1].compile)
    name = code_object["function"] or function
    return History(name, tuple(entries), _limit(last), _checks_autocast(log, last))


def _code_object(log: LogTables, function: str) -> dict[str, Any]:
    rows = log.table("code_objects")
    key = _COMPILE.fullmatch(function)
    if key:
        chosen = [row for row in rows if key[1] in row["compiles"]]
    else:
        chosen = [row for row in rows if function == row["function"] or _is_at(row, function)]
    if len(chosen) == 1:
        return chosen[0]  # type: ignore[no-any-return]
    if chosen:
        names = ", ".join(
            f"{row['compiles'][0]} ({row['file']}:{row['first_line']})" for row in chosen[:_SHOWN]
        )
        raise BundleError(
            f"log {log.id} has {len(chosen)} functions '{function}'",
            hint=f"Name one by a compile of it: {names}.",
            code="ambiguous",
            exit_code=2,
        )
    functions = dict.fromkeys(row["function"] for row in rows if row["function"])
    some = ", ".join(list(functions)[:_SHOWN]) + (", …" if len(functions) > _SHOWN else "")
    raise BundleError(
        f"log {log.id} has no compiled function '{function}'",
        hint=f"Its functions: {some}." if functions else "It has no compiled functions.",
        code="not-found",
        exit_code=2,
    )


def _is_at(row: Mapping[str, Any], place: str) -> bool:
    where = f"{row['file']}:{row['first_line']}"
    return where == place or where.endswith(f"/{place}")


def _metrics(log: LogTables, compile: str) -> Mapping[str, Any]:
    try:
        return log.compile(compile).metrics or {}
    except BundleError:
        return {}


def _limit(metrics: Mapping[str, Any]) -> int:
    """Return the recompile limit that a compile logged; torch's default when it logged none."""
    config = metrics.get("dynamo_config")
    if isinstance(config, str):
        for name in _LIMITS:
            match = re.search(rf'"{name}": ?(\d{{1,9}})\b', config)
            if match:
                return int(match[1])
    return _DEFAULT_LIMIT


def _checks_autocast(log: LogTables, metrics: Mapping[str, Any]) -> bool:
    """Whether a log shows that its torch checks autocast in GLOBAL_STATE: by a reason, or by a version in its
    metrics, which 2.10 and later write.
    """
    return "pytorch_version" in metrics or any(
        row["guard"].startswith("GLOBAL_STATE changed:") and "autocast" in row["guard"]
        for row in log.table("recompile_reasons")
    )
