"""Exit handling: signals become exceptions, exceptions become messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.base.signals import finished_places
from tlparse_bundle.cli.output import say, say_error, say_json, say_misuse, say_traceback

EXIT_INTERRUPTED = 130
_RETRY_SECONDS = 0.005
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(BaseException):
    """A signal that ends this process. As with Ctrl-C, unfinished work is undone on the way out."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def raise_at_signals() -> None:
    """Raise Terminated at SIGTERM and SIGHUP. An ignored signal, as under nohup, stays ignored."""
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)
    if hasattr(signal, "setitimer"):  # not on Windows
        sys.unraisablehook = _raise_again


def _raise(number: int, frame: object) -> None:
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)  # this process is already ending
    raise Terminated(number)


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Re-raise an exception that a signal raised in a destructor, where Python can only print it."""
    error = lost.exc_value
    if (
        not isinstance(error, (Terminated, KeyboardInterrupt))
        or threading.current_thread() is not threading.main_thread()
    ):
        sys.__unraisablehook__(lost)
        return

    def raise_it(number: int, frame: object) -> None:
        raise error

    signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, _RETRY_SECONDS)


def end_at_signals(*more: int) -> None:
    """Restore the default action of SIGTERM, SIGHUP and ``more``, for commands with nothing to undo."""
    for number in (*_ENDING, *more):
        if signal.getsignal(number) in (_raise, signal.default_int_handler):
            signal.signal(number, signal.SIG_DFL)


def exit_code(error: BaseException, *, as_json: bool) -> int:
    """Print the error that ended a command, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        sys.stdout = None  # the reader is gone; there is nothing left to flush
        return 0
    if isinstance(error, click.ClickException):
        say_misuse(error)
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort, Terminated)):
        return _interrupted(error, as_json)
    if isinstance(error, BundleError):
        shown_error = error
    elif isinstance(error, OSError):
        shown_error = _system_error(error)
    elif isinstance(error, MemoryError):
        shown_error = BundleError(
            "out of memory",
            hint="If this was a build, use --jobs 1, which needs the least memory.",
            code="memory",
        )
    else:
        if as_json:
            _document("internal", f"{type(error).__name__}: {error}")
        say_traceback()
        return 1
    if as_json:
        _document(shown_error.code, shown_error.message, shown_error.hint)
    say_error(shown_error)
    return shown_error.exit_code


def _system_error(error: OSError) -> BundleError:
    from tlparse_bundle.bundle.atomic.folder import NO_ROOM, unwritable

    name = error.filename
    try:
        sys.stdout.flush()
        is_output = name is None and error.errno in NO_ROOM  # errors about our files have a name
    except OSError:  # the same error, which would come back at interpreter exit
        is_output, sys.stdout = True, None
    if is_output:
        return BundleError(
            f"standard output cannot be written: {error.strerror or error}",
            hint="Send it to a disk with enough space." if error.errno in NO_ROOM else "",
            code="unwritable",
        )
    if error.errno in NO_ROOM and error.filename2 is not None:  # the copy, not its source
        return unwritable(os.fsdecode(error.filename2), error)
    at = f"{os.fsdecode(name)}: " if isinstance(name, str | bytes | os.PathLike) else ""
    return BundleError(f"{at}{error.strerror or error}", code="system")


def _interrupted(error: BaseException, as_json: bool) -> int:
    word = "Terminated" if isinstance(error, Terminated) else "Interrupted"
    text = word if finished_places else f"{word}. Nothing was written"
    if as_json and not finished_places:  # otherwise the result was printed, or is being printed
        _document(word.lower(), text)
    say(f"{text}.", err=True)
    return 128 + error.number if isinstance(error, Terminated) else EXIT_INTERRUPTED


def _document(code: str, message: str, hint: str = "") -> None:
    try:
        say_json({"ok": False, "error": {"code": code, "message": message, "hint": hint}})
    except OSError:  # the disk is full, or the reader is gone
        sys.stdout = None
