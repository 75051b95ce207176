"""The pytest plug-in: trace what torch compiles in a test, and check it.

    @pytest.mark.compile_trace(max_breaks=0, max_recompiles=0)
    def test_step(): ...

    def test_step(compile_trace):
        ...
        compile_trace.assert_no_graph_breaks()

pytest loads this in every environment that has the package, so slow imports happen on use.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tlparse_bundle.statements.runs.check.limits import Amount
    from tlparse_bundle.statements.selection import Section

MARKER = "compile_trace"
_LIMITS = (
    *("max_breaks", "max_recompiles", "max_compiles", "max_failures"),
    *("max_cache_misses", "max_compile_time"),
)
_NO_LIMITS = ("allow_unknown", "reset")
_HELP = (
    f"{MARKER}({', '.join(f'{name}=None' for name in _LIMITS)}, allow_unknown=False, reset=True): trace what"
    " torch compiles in the test, and fail beyond these limits (tlparse-bundle)"
)


class CompileTrace:
    """The compiles since the start of the test. ``folder`` has its logs."""

    def __init__(self, folder: Path):
        self.folder = folder

    def findings(self) -> list[Mapping[str, Any]]:
        """Return the findings of all logs so far, as in the table findings, most important first per log."""
        return [row for section in self._sections() for row in section.findings]

    def summaries(self) -> list[dict[str, Any]]:
        """Return the summary of each log so far, as in the table findings; empty without logs."""
        return [section.summary for section in self._sections() if section.log is not None]

    def assert_no_graph_breaks(self) -> None:
        """Raise AssertionError with the graph breaks, their places and fixes, if there is any."""
        __tracebackhide__ = True
        self.assert_limits(max_breaks=0)

    def assert_no_failures(self) -> None:
        """Raise AssertionError with the failures, if there is any."""
        __tracebackhide__ = True
        self.assert_limits(max_failures=0)

    def assert_max_recompiles(self, most: int) -> None:
        """Raise AssertionError with the recompiles, if there are more than ``most``."""
        __tracebackhide__ = True
        self.assert_limits(max_recompiles=most)

    def assert_limits(self, *, allow_unknown: bool = False, **limits: int | str | None) -> None:
        """Raise AssertionError beyond a limit. Names are those of the marker; None means no limit.

        A time is "60s" or a number of seconds. An amount that is not recorded exceeds any limit, unless
        ``allow_unknown``. Raises TypeError or ValueError for an invalid limit.
        """
        __tracebackhide__ = True
        failure = self._beyond(limits, allow_unknown)
        if failure:
            raise AssertionError(failure)

    def _beyond(self, limits: Mapping[str, int | str | None], allow_unknown: bool) -> str:
        """Describe what exceeds the limits; "" if nothing does."""
        from click import unstyle

        from tlparse_bundle.render import terminal
        from tlparse_bundle.statements.runs.check.limits import failing, outcomes

        exceeded = failing(list(outcomes(self._sections(), _amounts(limits))), allow_unknown=allow_unknown)
        text = [line for outcome in exceeded for line in terminal.outcome(outcome)]
        return unstyle("\n".join([*text, f"The trace: {self.folder}"])) if exceeded else ""

    def _sections(self) -> list[Section]:
        from tempfile import TemporaryDirectory

        from tlparse_bundle.bundle.reader import Bundle
        from tlparse_bundle.log.discover import discover
        from tlparse_bundle.pipeline.build import build
        from tlparse_bundle.statements.selection import choose

        if not any(self.folder.iterdir()):
            return []
        with TemporaryDirectory(prefix="tlparse-bundle-") as folder:
            out = Path(folder, "bundle")
            build(discover([self.folder]), out, jobs=1)
            return choose(Bundle.open(out))


def _amounts(limits: Mapping[str, int | str | None]) -> dict[Amount, int]:
    from tlparse_bundle.statements.runs.check.limits import AMOUNTS, time_us

    amount_of = {f"max_{amount.name.replace('-', '_')}": amount for amount in AMOUNTS}
    amounts: dict[Amount, int] = {}
    for name, most in limits.items():
        if name not in amount_of:
            raise TypeError(f"unknown limit {name!r}; use one of {', '.join(amount_of)}")
        amount = amount_of[name]
        if most is None:
            continue
        if amount.unit:
            amounts[amount] = time_us(str(most))
        elif type(most) is int and most >= 0:
            amounts[amount] = most
        else:
            raise TypeError(f"{name} is {most!r}, not a number of {amount.many}")
    return amounts


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _HELP)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Add the fixture to a test with the marker."""
    names = getattr(item, "fixturenames", None)
    if names is not None and item.get_closest_marker(MARKER) and MARKER not in names:
        names.append(MARKER)


@pytest.fixture
def compile_trace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CompileTrace]:
    """Trace what torch compiles in this test. Resets Dynamo first, unless the marker has reset=False."""
    from tlparse_bundle.base.errors import BundleError
    from tlparse_bundle.cli.recording import tracing

    options = _options(request.node)
    _amounts({name: most for name, most in options.items() if name not in _NO_LIMITS})
    folder = tmp_path_factory.mktemp(MARKER)
    _detach_pytest_handlers()
    with ExitStack() as recording:
        why = ""
        try:
            recording.enter_context(tracing(folder))
        except BundleError as error:
            why = str(error)
        if why:
            pytest.fail(why, pytrace=False)
        if options.get("reset", True):
            sys.modules["torch"]._dynamo.reset()
        yield CompileTrace(folder)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    if MARKER in pyfuncitem.funcargs:
        _detach_pytest_handlers()


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Check the limits of the marker. If the test raises, this hook does not run."""
    if item.get_closest_marker(MARKER):
        limits = {name: most for name, most in _options(item).items() if name not in _NO_LIMITS}
        trace = getattr(item, "funcargs", {})[MARKER]
        failure = trace._beyond(limits, _options(item).get("allow_unknown", False))
        if failure:
            pytest.fail(failure, pytrace=False)


def _detach_pytest_handlers() -> None:
    """Keep trace records out of pytest's captured logs: since 9.0 it adds handlers to every logger."""
    logger = logging.getLogger("torch.__trace")
    for handler in [
        handler for handler in logger.handlers if type(handler).__module__.startswith("_pytest.")
    ]:
        logger.removeHandler(handler)


def _options(item: pytest.Item) -> dict[str, Any]:
    """Return the arguments of the markers of module, class and test; the closest to the test wins."""
    options: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers(MARKER))):
        if marker.args:
            raise TypeError(f"marker {MARKER} takes only keyword arguments, such as max_breaks=0")
        options.update(marker.kwargs)
    return options
