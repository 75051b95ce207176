"""Python functions with a twin in JavaScript: both return the same for the examples of tests/twins.json."""

import json
import shutil
import subprocess

import pytest
import traces
from tlparse_bundle.base.wording import duration, first_line, plural
from tlparse_bundle.model.functions import resume_function
from waiting import HANG_S

EXAMPLES = json.loads((traces.ROOT / "tests" / "twins.json").read_text(encoding="utf-8"))
FORMAT = traces.ROOT / "viewers" / "lib" / "page" / "format.js"


def named(name):
    """Return what a page needs from the name of a resume function."""
    parts = resume_function(name)
    return parts and {"function": parts.function, "line": parts.line}


# Python's function, and the name of its twin in format.js.
TWINS = {
    "duration": (duration, "time"),
    "plural": (plural, "plural"),
    "first_line": (first_line, "firstLine"),
    "resume_function": (named, "resumeFunction"),
}


def in_javascript(name, calls):
    """Return what a function of format.js returns for each list of arguments."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing")
    code = (
        f"import {{ {name} }} from {json.dumps(FORMAT.as_uri())};"
        f"console.log(JSON.stringify({json.dumps(calls)}.map((call) => {name}(...call))));"
    )
    done = subprocess.run(
        [node, "--input-type=module", "-e", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=HANG_S,
        check=True,
    )
    return json.loads(done.stdout)


def test_each_twin_has_examples():
    assert EXAMPLES.keys() == TWINS.keys() and min(map(len, EXAMPLES.values())) >= 5


@pytest.mark.parametrize("name", TWINS)
def test_python(name):
    function, _ = TWINS[name]
    for arguments, expected in EXAMPLES[name]:
        assert function(*arguments) == expected, arguments


@pytest.mark.parametrize("name", TWINS)
def test_javascript(name):
    calls, expected = zip(*EXAMPLES[name], strict=True)
    assert in_javascript(TWINS[name][1], calls) == list(expected)


def test_many_times_are_alike():
    values = [2**n + 5 for n in range(10, 40)]
    assert in_javascript("time", [[value] for value in values]) == list(map(duration, values))


def test_counts_have_commas():
    numbers = [0, 7, 999, 1000, -1000, 40_504, 999_999, 1_234_567, 2**53 - 1, 0.5, 1234.25]
    assert in_javascript("count", [[number] for number in numbers]) == [f"{number:,}" for number in numbers]
