"""The pytest plug-in: with a fake torch that writes records of real logs through torch's tracing, and with
torch itself.
"""

import subprocess
import sys

import pytest
import traces

pytest_plugins = ["pytester"]

TORCH = {
    "__init__": "from torch import _dynamo, _logging\n",
    "_dynamo": "resets = []\n\n\ndef reset():\n    resets.append(True)\n",
    "_logging/__init__": "from torch._logging import _internal, structured\n",
    "_logging/structured": 'INTERN_TABLE = {"earlier.py": 900}\n',
    "_logging/_internal": (
        '''
import json
import logging
import tempfile

trace_log = logging.getLogger("torch.__trace")
trace_log.propagate = False
trace_log.setLevel(logging.DEBUG)


class TorchLogsFormatter(logging.Formatter):
    def __init__(self, *, trace):
        super().__init__("%(message)s")


class LazyTraceHandler(logging.StreamHandler):
    def __init__(self, root_dir):
        logging.Handler.__init__(self)
        self.root_dir, self.stream = root_dir, None

    def emit(self, record):
        if self.stream is None:
            self.stream = open(tempfile.mkstemp(prefix="dedicated_log_torch_trace_", suffix=".log", dir=self.root_dir)[1], "w", newline="")
        super().emit(record)

    def close(self):
        if self.stream is not None:
            self.stream.close()
        super().close()


def trace_structured(name, metadata_fn, *, suppress_context):
    trace_log.debug("%s", f"V1121 07:30:00.000000 1 torch/_logging/structured.py:28] {json.dumps({name: metadata_fn()})}")


def compile_as(path):
    """What torch writes while it compiles the program of a fixture."""
    if trace_log.handlers:
        with open(path, newline="") as log:
            for record in log.read().removesuffix("\\n").split("\\nV"):
                trace_log.debug("%s", record if record.startswith("V") else f"V{record}")
'''
    ),
}
USED = """
import pytest
from torch._dynamo import resets
from torch._logging._internal import compile_as, trace_log

BREAKS, SOUND, RECOMPILES = {paths!r}
"""


def log_of(name):
    (path,) = (traces.ROOT / "fixtures" / name / "trace").glob("*.log")
    return str(path)


@pytest.fixture
def inner(pytester, monkeypatch):
    """Return inner(tests, *options): the result of a separate pytest with the plug-in and the torch above."""
    for name, text in TORCH.items():
        path = pytester.path / "torch" / f"{name}.py"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
    pytester.syspathinsert()
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # third-party plug-ins take a second to load
    monkeypatch.delenv("CI", raising=False)  # with it pytest prints each failure twice
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    paths = [log_of(name) for name in ("graph_breaks", "basic_inference", "recompiles")]

    def run(tests, *options):
        pytester.makepyfile(test_inner=USED.format(paths=paths) + tests)
        return pytester.runpytest(
            "-p", "tlparse_bundle.pytest", "-p", "no:cacheprovider", "--strict-markers", *options
        )

    return run


def test_a_marker_fails_a_test_with_the_findings(inner):
    result = inner("""
@pytest.mark.compile_trace(max_breaks=0, max_recompiles=0)
def test_broken():
    compile_as(BREAKS)

@pytest.mark.compile_trace(max_breaks=0, max_recompiles=0, max_failures=0, max_compiles=1, max_compile_time="1h")
def test_sound():
    compile_as(SOUND)

@pytest.mark.compile_trace(max_breaks=0)
def test_that_fails_itself():
    compile_as(BREAKS)
    assert "one thing" == "another"

@pytest.mark.compile_trace(max_compile_time="1ms")
class TestOfAClass:
    @pytest.mark.compile_trace(max_recompiles=7)
    def test_slow(self):
        compile_as(RECOMPILES)
""")
    result.assert_outcomes(passed=1, failed=3)
    assert result.stdout.str().count("6 graph breaks; the limit is") == 1, (
        "a test that fails by itself says so, and no more"
    )
    result.stdout.fnmatch_lines(
        [
            "✖ max-breaks 0 * 6 graph breaks; the limit is 0.",
            "    graph-break · program.py:43 *",
            "*→ torch: *",
            "The trace: *compile_trace0",
            "*AssertionError: assert 'one thing' == 'another'",
            "✖ max-compile-time 1 ms * 695 ms of compile time; the limit is 1 ms.",
        ]
    )
    result.stdout.no_fnmatch_line("*max-recompiles*")
    for never in ("*Captured log*", "*another exception*"):  # the trace is not a log of the test
        result.stdout.no_fnmatch_line(never)


def test_a_fixture_lists_compiles_so_far(inner):
    inner("""
def test_it(compile_trace):
    assert compile_trace.summaries()[0]["compile_count"] == 0
    compile_trace.assert_no_graph_breaks()
    compile_as(RECOMPILES)
    assert compile_trace.summaries()[0]["recompile_count"] == 7
    compile_trace.assert_no_graph_breaks()
    compile_trace.assert_no_failures()
    compile_trace.assert_max_recompiles(7)
    with pytest.raises(AssertionError, match="7 recompiles; the limit is 6"):
        compile_trace.assert_max_recompiles(6)
    assert {row["kind"] for row in compile_trace.findings()} >= {"recompile", "recompile-limit"}
    assert [path.suffix for path in compile_trace.folder.iterdir()] == [".log"]

def test_each_test_has_its_own(compile_trace):
    compile_as(BREAKS)
    compile_trace.assert_max_recompiles(0)
""").assert_outcomes(passed=2)


def test_tests_do_not_depend_on_each_other(inner):
    """Earlier compiles are forgotten.

    Names that torch wrote once, in the trace of an earlier test, are in that of each.
    """
    inner("""
def test_one(compile_trace):
    assert len(resets) == 1
    (log,) = compile_trace.folder.iterdir()
    assert '{"str": ["earlier.py", 900]}' in log.read_text()

@pytest.mark.compile_trace(reset=False)
def test_two(compile_trace):
    assert len(resets) == 1
    (log,) = compile_trace.folder.iterdir()
    assert '{"str": ["earlier.py", 900]}' in log.read_text()

def test_none_is_traced():
    assert "LazyTraceHandler" not in [type(handler).__name__ for handler in trace_log.handlers] and len(resets) == 1
""").assert_outcomes(passed=3)


def test_a_marker_that_is_wrong_is_an_error(inner):
    markers = ("max_brakes=0", "max_breaks='0'", "max_compile_time='soon'", "0")
    result = inner(
        "".join(
            f"@pytest.mark.compile_trace({marker})\ndef test_{number}():\n    compile_as(SOUND)\n\n"
            for number, marker in enumerate(markers)
        )
    )
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(
        [
            "*TypeError: unknown limit 'max_brakes'; use one of max_breaks, *",
            "*TypeError: max_breaks is '0', not a number of graph breaks",
            "*ValueError: 'soon' is not a duration. Write 90s*",
            "*TypeError: marker compile_trace takes only keyword arguments, such as max_breaks=0",
        ]
    )


def test_a_torch_without_tracing_is_reported(inner, pytester):
    pytester.makepyfile(**{"torch/_logging/_internal": "compile_as = trace_log = None"})
    result = inner("def test_it(compile_trace):\n    pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["cannot trace torch: *LazyTraceHandler*", "Install torch 2.4 or newer."])


def test_the_marker_is_explained(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    result = pytester.runpytest("-p", "tlparse_bundle.pytest", "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.compile_trace(max_breaks=None, *"])


def test_it_costs_next_to_nothing_where_it_is_not_used():
    code = (
        "import sys, pytest; before = set(sys.modules); import tlparse_bundle.pytest;"
        " print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(traces.ROOT / "preprocessor")},
    )
    assert done.stdout.split() == ["tlparse_bundle", "tlparse_bundle.pytest"]


def test_with_torch_itself(pytester):
    pytest.importorskip("torch", reason="the test of the plug-in with a real model needs torch")
    pytester.makepyfile("""
        import pytest
        import torch

        class Model(torch.nn.Module):
            def __init__(self, noisy):
                super().__init__()
                self.linear, self.noisy = torch.nn.Linear(4, 4), noisy

            def forward(self, x):
                y = self.linear(x)
                if self.noisy:
                    print("y", y.shape)
                return y.relu()

        def run(noisy, lengths=(2,)):
            model = torch.compile(Model(noisy), backend="eager")
            for length in lengths:
                model(torch.ones(length, 4))

        @pytest.mark.compile_trace(max_breaks=0, max_recompiles=0, max_failures=0)
        def test_sound():
            run(False)

        @pytest.mark.compile_trace(max_breaks=0)
        def test_broken():
            run(True)

        def test_recompiles(compile_trace):
            run(False, (2, 3))
            compile_trace.assert_no_graph_breaks()
            assert compile_trace.summaries()[0]["recompile_count"] == 1
            (row,) = [row for row in compile_trace.findings() if row["kind"] == "recompile"]
            assert row["file"].endswith("test_with_torch_itself.py") and row["function"] == "forward"
            compile_trace.assert_max_recompiles(0)
    """)
    result = pytester.runpytest("-p", "tlparse_bundle.pytest", "-p", "no:cacheprovider", "--strict-markers")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["✖ max-breaks 0*1 graph break; *", "*print*"])
    result.stdout.fnmatch_lines(["*1 recompile; the limit is 0.*", "*changed from `2` to `3`*"])
    result.stdout.no_fnmatch_line("*Captured log*")
