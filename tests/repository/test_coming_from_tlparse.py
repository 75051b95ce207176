"""The guide for tlparse users: it has each feature of tlparse, and each of its targets exists."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import traces
from legacy_tlparse import run_tlparse
from tlparse_bundle.bundle.schemas import row_tables, schema_names

GUIDE = (traces.ROOT / "docs/how-to/coming-from-tlparse.md").read_text(encoding="utf-8")
# Features of tlparse 0.4.8, which is a crate only, that 0.4.3, which runs here, lacks.
OPTIONS_OF_048 = {"--serve", "--port"}
FILES_OF_048 = {"vllm_summary.html", "tlparse_index.html"}
_NUMBER = re.compile(r"_\d+(?=(_readable)?\.\w+$)")


def rows():
    """Return (name in tlparse, name here) of all tables."""
    found = re.findall(r"^\| (?!---|tlparse \||tlhub \|)(.+?) \| (.+) \|$", GUIDE, re.MULTILINE)
    assert len(found) == len(
        [line for line in GUIDE.splitlines() if line.startswith("| ")]
    ) - 2 * GUIDE.count("| --- |")
    return found


def test_each_row_names_an_existing_target():
    views = set(
        re.findall(
            r'\["([a-z]+)", "[A-Z][A-Za-z ]+"[],]',
            (traces.ROOT / "viewers/default/frame/views.js").read_text(),
        )
    )
    views |= set(
        re.findall(r'(\w+): "compiles"', (traces.ROOT / "viewers/default/frame/views.js").read_text())
    )
    viewers = {path.parent.name for path in traces.ROOT.glob("viewers/*/index.html")}
    tables = set(schema_names())
    assert {"stack", "compare"} <= views and {"provenance", "home"} <= viewers
    for theirs, here in rows():
        named = re.findall(r"\b(view|viewer|tables?|and) `(\w+)`", here)
        for kind, name in named:
            assert name in {"view": views, "viewer": viewers}.get(kind, tables), f"{theirs}: no {kind} {name}"
        words = ("tlparse-bundle ", "](", "Ctrl+C", "delete the folder")
        assert named or any(word in here for word in words), f"{theirs} leads nowhere"


def test_the_tables_of_collectives_hold_the_schedules(built):
    bundle = built(traces.ROOT / "fixtures" / "ranks_missing_collective" / "trace")
    scheduled = {
        op
        for log in bundle.logs
        for artifact in log.artifacts
        if artifact.name == "inductor_collective_schedule"
        for op in artifact.json()
    }
    (here,) = (here for theirs, here in rows() if "`collective_schedules.json`" in theirs)
    named = [
        table
        for words in re.findall(r"tables? (`\w+`(?: and `\w+`)*)", here)
        for table in re.findall(r"\w+", words)
        if table not in ("and", "rank_parity")
    ]
    assert scheduled and named
    for table in named:
        content = (
            bundle.rank_table(table)
            if row_tables().get(table) == "ranks"
            else [log.table(table) for log in bundle.logs]
        )
        assert [op for op in scheduled if op not in json.dumps(content)] == [], table


def test_each_option_of_tlparse_has_a_row():
    program = Path(sys.executable).with_name("tlparse")
    if not program.exists():
        pytest.skip("tlparse is not beside Python")
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^\s+(?:-\w, )?(--[\w-]+)", text, re.MULTILINE)) - {"--help", "--version"}
    assert len(options) >= 10
    first = " ".join(theirs for theirs, _ in rows())
    assert {option for option in options | OPTIONS_OF_048 if f"`{option}`" not in first} == set()


@pytest.mark.parametrize(
    ("fixture", "options"),
    [
        ("provenance", ["-i"]),
        ("failures", []),
        ("export_dtrace", ["--export"]),
        ("ranks4", ["--all-ranks-html"]),
        ("compiled_autograd", []),
    ],
)
def test_each_file_of_tlparse_has_a_row(fixture, options, tmp_path):
    """Except artifacts, which the log names, and files with the folders of ranks before them."""
    folder = traces.ROOT / "fixtures" / fixture / "trace"
    logs = [folder] if "--all-ranks-html" in options else sorted(folder.glob("*.log"))
    names = set(FILES_OF_048)
    for number, log in enumerate(logs):
        for path in run_tlparse(log, tmp_path / str(number), *options):
            path = re.sub(r"^rank_\d+/", "", path)
            if path.startswith(("payloads/", "dump_file/")):
                names.add(path.partition("/")[0])
            elif "/" not in path or path.endswith(".html"):
                name = re.sub(r"_[-!\d]+(_[-\d]+)+", "", _NUMBER.sub(r"", path.rpartition("/")[2]))
                names.add("inductor_output_code.html" if name.startswith("inductor_output_code") else name)
    first = " ".join(theirs for theirs, _ in rows())
    assert len(names) > 3
    assert {name for name in names if f"`{name}`" not in first} == set()
