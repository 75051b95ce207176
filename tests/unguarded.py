"""Builds without a guardian process, whose start takes as long as a small build.

For shared fixtures, and for tests with very many builds. All others have a guardian, as users do;
tests/commit, tests/cli and tests/fuzz test it.
"""

from contextlib import contextmanager

from tlparse_bundle.bundle.atomic import staging


class _Nobody:
    def __init__(self, *what):
        pass

    def end(self):
        pass


@contextmanager
def unguarded():
    before, staging.Guardian = staging.Guardian, _Nobody
    try:
        yield
    finally:
        staging.Guardian = before
