"""How the command line ends: signals become exceptions, exceptions become sentences and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading

import click

from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.atomic import finished_places
from tlparse_bundle.cli.output import say, say_error, say_json, say_misuse, say_traceback

EXIT_INTERRUPTED = 130
_AGAIN_SECONDS = 0.005
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(BaseException):
    """A signal that asks this process to end: as with Ctrl-C everything that was begun is undone on the way
    out.
    """

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def raise_at_signals() -> None:
    """Let the signals that end a process raise Terminated. One that is ignored, as by nohup, stays so."""
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise)
    if hasattr(signal, "setitimer"):  # not on Windows
        sys.unraisablehook = _raise_again


def _raise(number: int, frame: object) -> None:
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)  # it is on its way
    raise Terminated(number)


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise again an exception that a signal raised in a destructor, where Python can only print it."""
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
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)


def end_at_signals(*more: int) -> None:
    """Restore the default action of the signals, for commands that have nothing to undo; also of the signals
    ``more`` that raise KeyboardInterrupt.
    """
    for number in (*_ENDING, *more):
        if signal.getsignal(number) in (_raise, signal.default_int_handler):
            signal.signal(number, signal.SIG_DFL)


def exit_code(error: BaseException, *, as_json: bool) -> int:
    """Print what ended a command, and return its exit code."""
    if isinstance(error, BrokenPipeError):
        sys.stdout = None  # the reader has gone; nothing more to flush
        return 0
    if isinstance(error, click.ClickException):
        say_misuse(error)
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort, Terminated)):
        return _interrupted(error, as_json)
    if isinstance(error, BundleError):
        sentence = error
    elif isinstance(error, OSError):
        try:
            sys.stdout.flush()
        except OSError:  # it was this one, and would come again at the very end
            sys.stdout = None
        at = "".join(
            f"{os.fsdecode(name)}: "
            for name in (error.filename,)
            if isinstance(name, (str, bytes, os.PathLike))
        )
        sentence = BundleError(f"{at}{error.strerror or error}", code="system")
    elif isinstance(error, MemoryError):
        sentence = BundleError(
            "there is not enough memory", hint="With --jobs 1 a build takes the least.", code="memory"
        )
    else:
        if as_json:
            _document("internal", f"{type(error).__name__}: {error}")
        say_traceback()
        return 1
    if as_json:
        _document(sentence.code, sentence.message, sentence.hint)
    say_error(sentence)
    return sentence.exit_code


def _interrupted(error: BaseException, as_json: bool) -> int:
    word = "Terminated" if isinstance(error, Terminated) else "Interrupted"
    text = word if finished_places else f"{word}; nothing was written"
    if as_json and not finished_places:  # else the result stands there already, or is on its way
        _document(word.lower(), text)
    say(f"{text}.", err=True)
    return 128 + error.number if isinstance(error, Terminated) else EXIT_INTERRUPTED


def _document(code: str, message: str, hint: str = "") -> None:
    try:
        say_json({"ok": False, "error": {"code": code, "message": message, "hint": hint}})
    except OSError:  # a full disk, or nobody who reads
        sys.stdout = None
