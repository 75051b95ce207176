"""The command recompiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.wording import plural
from tlparse_bundle.cli.completion import complete_logs
from tlparse_bundle.cli.options import Location
from tlparse_bundle.cli.output import say, say_json, shown

if TYPE_CHECKING:
    from tlparse_bundle.bundle.reader import Bundle, Log
    from tlparse_bundle.guards.replay import Failure, Prediction

_MAX_CALLS_BYTES = 64_000_000
_SHOWN = 3  # cache entries


@click.command()
@click.argument("bundle", type=Location())
@click.argument("function")
@click.option(
    "--call",
    "call",
    metavar="INPUTS",
    help="Inputs of a call, such as 'x=f32[8, 4], n=5, flag=True'.",
)
@click.option(
    "--calls",
    "calls_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help=(
        "JSON list of calls. A call is an object of arguments; a tensor is {size, stride, dtype,"
        " requires_grad}."
    ),
)
@click.option("--replay", is_flag=True, help="Replay the calls in order, from the start of the program.")
@click.option("--log", "log_id", metavar="ID", shell_complete=complete_logs, help="Use this log.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per call.")
def recompiles(
    bundle: Path | str,
    function: str,
    call: str | None,
    calls_file: Path | None,
    replay: bool,
    log_id: str | None,
    as_json: bool,
) -> None:
    """Predict whether a call of FUNCTION recompiles.

    The answer comes from the guards in the log. FUNCTION is a name, a place such as model.py:12, or a
    compile such as 0/1. Globals, modules and modes are assumed to be as in the last compile, unless a call
    sets them: "G['mode']=…", "self.training=…".

    \b
    Example:
      tlparse-bundle recompiles out/ forward --call 'x=f32[8, 4], n=5'
      tlparse-bundle recompiles out/ 0/0 --calls calls.json --replay --json
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.guards.history import history
    from tlparse_bundle.guards.values import from_json, parse_call

    if (call is None) == (calls_file is None):
        raise click.UsageError("Give --call or --calls.")
    calls = [parse_call(call)] if call is not None else [from_json(one) for one in _calls(calls_file)]
    past = history(_log(Bundle.open(bundle), log_id), function)
    predictions = past.replay(calls) if replay else map(past.next_call, calls)
    for number, prediction in enumerate(predictions, 1):
        if as_json:
            say_json(prediction.as_row())
        else:
            for line in _lines(prediction, f"Call {number}" if len(calls) > 1 else past.function):
                say(line)


def _calls(path: Path | None) -> list[Mapping[str, Any]]:
    from tlparse_bundle.bundle.json_codec import loads

    assert path is not None
    if path.stat().st_size > _MAX_CALLS_BYTES:
        raise BundleError(
            f"'{shown(path)}' is larger than {_MAX_CALLS_BYTES // 1_000_000} MB",
            hint="Split it.",
            code="too-large",
            exit_code=2,
        )
    try:
        calls = loads(path.read_bytes())
    except ValueError as error:
        raise BundleError(
            f"'{shown(path)}' is not JSON: {error}",
            hint="Give a list of objects, one per call.",
            code="bad-call",
            exit_code=2,
        ) from None
    if not isinstance(calls, list) or not all(isinstance(one, dict) for one in calls):
        raise BundleError(
            f"'{shown(path)}' is not a JSON list of objects",
            hint="Give one object per call: its arguments by name.",
            code="bad-call",
            exit_code=2,
        )
    return calls


def _log(bundle: Bundle, log_id: str | None) -> Log:
    if log_id is not None:
        return bundle.log(log_id)
    if len(bundle.logs) != 1:
        raise BundleError(
            f"the bundle has {len(bundle.logs)} logs",
            hint="Name one with --log: " + ", ".join(shown(log.id) for log in bundle.logs[:8]) + ".",
            code="ambiguous",
            exit_code=2,
        )
    return bundle.logs[0]


def _lines(prediction: Prediction, name: str) -> Iterator[str]:
    if prediction.runs_eager:
        answer = "runs eager: no cache entry fits, and the recompile limit is reached"
    elif prediction.recompiles:
        answer = "recompiles"
    else:
        answer = f"does not recompile: it matches cache entry {prediction.entry}"
    yield f"{shown(name)} {answer}" + ("." if prediction.certain else ", if these guards hold:")
    if not prediction.certain:
        yield from (
            f"  {entry}: {shown(guard.text or guard.kind)}" for entry, guard in prediction.not_evaluated
        )
    elif prediction.entry is None:
        yield from _closest(prediction.failed)


def _closest(failed: list[Failure]) -> Iterator[str]:
    """Yield the guards that failed, of the entries with the fewest such guards."""
    by_entry: dict[str, list[Failure]] = {}
    for failure in failed:
        by_entry.setdefault(failure.entry, []).append(failure)
    closest = sorted(by_entry.items(), key=lambda item: len(item[1]))
    for entry, failures in closest[:_SHOWN]:
        yield f"  {entry} does not fit:"
        for failure in failures:
            outcome = failure.outcome
            if outcome.expected == failure.predicate.text:
                yield f"    {shown(failure.predicate.text)}, but {shown(outcome.actual)}"
            else:
                source = failure.predicate.source or failure.predicate.kind
                yield f"    {shown(source)}: expected {shown(outcome.expected)}, got {shown(outcome.actual)}"
    if len(closest) > _SHOWN:
        yield f"  {plural(len(closest) - _SHOWN, 'more cache entry', 'more cache entries')}; --json lists all"
