"""The exception that is shown to users as a sentence instead of a traceback."""

from __future__ import annotations

from collections.abc import Callable


class BundleError(Exception):
    """An error that the user can understand and fix.

    ``message``: what and where; ``hint``: what to try; ``code``: stable, for programs; ``exit_code``: of
    the command line.
    """

    def __init__(self, message: str, *, hint: str = "", code: str = "failed", exit_code: int = 1):
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n\n{self.hint}" if self.hint else self.message

    # Worker processes send the error to their parent.
    def __reduce__(self) -> tuple[Callable[..., BundleError], tuple[object, ...]]:
        return _rebuild, (self.message, self.hint, self.code, self.exit_code)


def _rebuild(message: str, hint: str, code: str, exit_code: int) -> BundleError:
    return BundleError(message, hint=hint, code=code, exit_code=exit_code)


class Refused(OSError):
    """A response of a remote server that we don't accept."""
