"""The commands of docs/how-to/ci.md, unchanged, on traces of real runs; its options and rules."""

import re
import shlex
import shutil
from xml.etree import ElementTree

import pytest
import traces
from tlparse_bundle.statements.runs.check.baseline import MEASURED
from tlparse_bundle.statements.runs.check.limits import AMOUNTS
from warm_command import run_warm

GUIDE = (traces.ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")


def commands(language):
    """Yield the uses of the command line in the blocks of a language: ['check', 'out/', ...]."""
    blocks = "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL))
    lines = re.sub(r"\\\n\s*", "", blocks).splitlines()
    return [
        shlex.split(line.partition("tlparse-bundle ")[2])
        for line in lines
        if re.search(r"(^|run: |^ +)tlparse-bundle ", line)
    ]


@pytest.fixture
def ci(tmp_path):
    """Return ci(side, commands): the finished processes, run on the original trace of one side of a pair."""

    def run(pair, side, uses):
        shutil.rmtree(tmp_path / "trace", ignore_errors=True)
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        shutil.copytree(traces.ROOT / "fixtures" / "pairs" / pair / side, tmp_path / "trace")
        return [run_warm(words, tmp_path) for words in uses]

    return run


def test_the_guide_has_the_commands():
    (write, again), (build, check) = commands("sh"), commands("yaml")
    assert write == again == ["check", "trace", "--write-baseline", "compile-baseline.json"]
    assert build == ["trace", "out/"] and check[:2] == ["check", "out/"]


@pytest.mark.parametrize(
    "pair, found", [("new_break", "new:any"), ("recompile_fixed", None), ("nothing_changed", None)]
)
def test_the_workflow_matches_the_guide(ci, tmp_path, pair, found):
    write, again = commands("sh")
    assert [done.returncode for done in ci(pair, "base", [write])] == [0]
    built, checked = ci(pair, "new", commands("yaml"))
    assert built.returncode == 0 and checked.returncode == (4 if found else 0), (
        checked.stdout + checked.stderr
    )
    lines = checked.stdout.decode().splitlines()
    assert all(re.match(r"::(notice|error) (file=[^:]+,line=\d+,)?title=[^:]+::", line) for line in lines)
    errors = [line for line in lines if line.startswith("::error ")]
    assert [
        line.startswith("::error file=program.py,line=14,title=new%3Aany::Graph break in `forward`")
        for line in errors
    ] == [True] * bool(found)
    suite = ElementTree.parse(tmp_path / "compile.xml").getroot()[0]
    assert [case.attrib["name"] for case in suite if case.find("failure") is not None] == (
        [found] if found else []
    )
    (written,) = ci(pair, "new", [again])
    built, checked = ci(pair, "new", commands("yaml"))
    assert written.returncode == built.returncode == checked.returncode == 0, (
        "what is in the baseline is not found again"
    )


def test_the_guide_names_all_limits_and_measurements():
    for amount in AMOUNTS:
        assert f"`--max-{amount.name} " in GUIDE and f"`max_{amount.name.replace('-', '_')}`" in GUIDE
    (sentence,) = re.findall(r"about times \((.*?)\)", GUIDE, re.DOTALL)
    assert set(re.findall(r"`([\w-]+)`", sentence)) == MEASURED
