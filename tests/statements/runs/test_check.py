"""`tlparse-bundle check` in a CI job: limits, baselines, outputs, exit codes."""

import json
import re
import shutil
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from log_builder import log
from tlparse_bundle.bundle.schemas import document_names, schema, schema_names
from traces import rewrite, written
from warm_command import run_warm

FOUND = 4


@pytest.fixture
def check(tmp_path):
    """Return check(bundle, *options): (exit code, stdout, stderr) of the command in an empty folder."""

    def run_it(bundle, *options):
        done = run_warm(["check", getattr(bundle, "folder", bundle), *options], tmp_path)
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err
        return done.returncode, out, err

    return run_it


@pytest.fixture
def rows(check):
    """Return rows(bundle, *options): {rule: outcome} of the command, or (outcome, text) with several logs."""

    def run_it(bundle, *options):
        code, out, err = check(bundle, *options, "--format", "json")
        assert out, err
        document = json.loads(out)
        assert document["ok"] == (code == 0) and code in (0, FOUND)
        return document["checks"]

    return run_it


@pytest.fixture
def pair(built, root):
    """Return pair(name): the bundles of base and new."""
    return lambda name: [built(root / "fixtures" / "pairs" / name / side) for side in ("base", "new")]


def outcomes(checks):
    return {row["rule"]: row["outcome"] for row in checks}


# ---- limits


def test_limits_apply_to_recorded_numbers(built, root, rows):
    bundle = built(
        root / "fixtures" / "graph_breaks" / "trace"
    )  # 14 compiles in 647 ms with 6 breaks at 5 places
    limits = (
        "--max-breaks",
        6,
        "--max-recompiles",
        0,
        "--max-compiles",
        14,
        "--no-failures",
        "--max-compile-time",
        "1s",
    )
    assert set(outcomes(rows(bundle, *limits)).values()) == {"passed"}
    found = rows(
        bundle, "--max-breaks", 5, "--max-compiles", 13, "--max-compile-time", "600ms", "--max-failures", 1
    )
    assert outcomes(found) == {
        "max-breaks 5": "failed",
        "max-compiles 13": "failed",
        "max-compile-time 600 ms": "failed",
        "max-failures 1": "passed",
    }
    breaks = found[0]
    assert breaks["text"] == "6 graph breaks; the limit is 5." and {
        row["kind"] for row in breaks["findings"]
    } == {"graph-break"}
    assert sum(row["count"] for row in breaks["findings"]) == 6 and all(
        row["file"] == "program.py" for row in breaks["findings"]
    )


def test_a_limit_holds_for_each_log_by_its_name(built, root, rows):
    found = rows(built(root / "fixtures" / "ranks_extra_break" / "trace"), "--max-breaks", 0)
    assert [(row["log"], row["outcome"]) for row in found] == [
        (f"rank {rank} (rank_{rank}_fixture0)", "failed" if rank == 1 else "passed") for rank in range(4)
    ]


def test_a_compile_that_did_not_end_is_a_failure_and_makes_numbers_too_low(built, root, rows, check):
    bundle = built(root / "fixtures" / "killed" / "trace")
    found = rows(bundle, "--no-failures", "--max-breaks", 0, "--max-compile-time", "50ms")
    assert outcomes(found) == {
        "max-failures 0": "failed",
        "max-breaks 0": "unknown",
        "max-compile-time 50 ms": "failed",
    }
    assert (
        found[0]["text"] == "0 graph breaks, but the log ends inside 1 compile, so there may be more."
        and found[0]["rule"] == "max-breaks 0"
    )
    code, out, _ = check(bundle, "--max-breaks", 0)
    assert code == FOUND and "1 unknown, counted as failed (see --allow-unknown)." in out
    assert check(bundle, "--max-breaks", 0, "--allow-unknown")[0] == 0


def test_a_number_that_an_old_torch_does_not_record_is_unknown(built, root, rows, check):
    bundle = built(root / "fixtures" / "versions" / "2.4.1" / "breaks.log.zst")
    found = rows(bundle, "--max-breaks", 100, "--max-recompiles", 100, "--max-compiles", 17)
    assert outcomes(found) == {
        "max-breaks 100": "unknown",
        "max-recompiles 100": "unknown",
        "max-compiles 17": "passed",
    }
    assert found[0]["text"] == "Graph breaks are not recorded by this version of torch."
    code, out, _ = check(bundle, "--max-breaks", 100, "--format", "github")
    assert code == FOUND and out.startswith(
        "::error title=max-breaks 100 · breaks::Graph breaks are not recorded"
    )
    code, out, _ = check(bundle, "--max-breaks", 100, "--format", "github", "--allow-unknown")
    assert code == 0 and out.startswith("::warning title=max-breaks 100")


def test_a_growing_run_passes_no_limit(built, root, rows, tmp_path):
    """A follower's bundle while the logs are being written: the same folder, and a manifest with this state."""
    shutil.copytree(built(root / "fixtures" / "recompiles" / "trace").folder, tmp_path / "growing")
    manifest = tmp_path / "growing" / "manifest.json"
    state = {"counter": 1, "written_epoch_us": 1, "problems": [], "logs": []}
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "growing": True, "live": state}))
    (found,) = rows(tmp_path / "growing", "--max-breaks", 0)
    assert (found["outcome"], found["text"]) == (
        "unknown",
        "0 graph breaks, but the log is still being written, so there may be more.",
    )


def test_a_damaged_log_passes_no_limit(log_of, rows):
    damaged = log_of(log("dynamo_start 0/0 @0\n > something else\n artifact:a 0/0"), check=False).bundle
    (found,) = rows(damaged, "--max-breaks", 0)
    assert found["outcome"] == "unknown" and "the log is damaged" in found["text"]


def test_a_trace_is_bundled_on_the_way(root, rows, tmp_path):
    assert outcomes(rows(root / "fixtures" / "graph_breaks" / "trace", "--max-breaks", 0)) == {
        "max-breaks 0": "failed"
    }
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options, said",
    [
        ((), "Nothing to check. Pass a limit"),
        (("--fail-on", "new:any"), "--fail-on needs a baseline. Pass one with --baseline."),
        (("--baseline", ".", "--fail-on", "new:graph-brake"), "Did you mean graph-break?"),
        (("--baseline", ".", "--fail-on", "new:slow-span"), "vary from run to run"),
        (("--baseline", ".", "--fail-on", "slower:10"), "Write slower:10%"),
        (("--baseline", ".", "--fail-on", "older:any"), "is not a rule"),
        (("--max-compile-time", "soon"), "is not a duration"),
        (("--max-breaks", "-1"), "-1"),
        (("--max-breaks", "0", "--with-time"), "--write-baseline"),
    ],
)
def test_wrong_use_is_reported(bundle, check, options, said):
    code, out, err = check(bundle, *options)
    assert code == 2 and said in err and out == ""


# ---- baselines


def test_a_baseline_is_the_same_for_another_run(pair, built, root, check, tmp_path):
    """One finding per line, without times; different paths, ids and times change nothing."""
    texts = []
    for name in ("nothing_changed", "nothing_changed_training"):
        base, new = pair(name)
        texts = []
        for bundle in (base, new):
            assert check(bundle, "--write-baseline", "b.json")[0] == 0
            texts.append((tmp_path / "b.json").read_text())
        assert texts[0] == texts[1]
        value = json.loads(texts[0])
        Draft202012Validator(schema("baseline")).validate(value)
        assert [
            json.loads(line.rstrip(",")) for line in texts[0].split("\n") if line.startswith("    {")
        ] == value["findings"]
        assert value["findings"] == sorted(
            value["findings"],
            key=lambda row: (row["kind"], row["file"] or "", row["function"] or "", row["fingerprint"]),
        )
    again = built(root / "fixtures" / "again" / "graph_breaks")
    check(built(root / "fixtures" / "graph_breaks" / "trace"), "--write-baseline", "b.json")
    assert check(again, "--baseline", "b.json", "--fail-on", "new:any,worse:any")[0] == 0


def test_the_schema_of_a_baseline_is_not_in_a_bundle():
    assert "baseline" in document_names() and "baseline" not in schema_names()


@pytest.mark.parametrize("as_file", [True, False])
def test_a_new_break_is_found_and_old_ones_are_not(pair, check, rows, tmp_path, as_file):
    base, new = pair("new_break")
    check(base, "--write-baseline", "b.json")
    known = "b.json" if as_file else base.folder
    (found,) = rows(new, "--baseline", known)
    assert (found["rule"], found["outcome"]) == ("new:any", "failed")
    assert [(row["kind"], row["function"], row["line"]) for row in found["findings"]] == [
        ("graph-break", "forward", 14)
    ]
    assert outcomes(rows(new, "--baseline", known, "--fail-on", "new:recompile,new:failure,worse:any")) == {
        "new:recompile": "passed",
        "new:failure": "passed",
        "worse:any": "passed",
    }
    (found,) = rows(base, "--baseline", new.folder)
    assert (found["outcome"], found["text"]) == (
        "passed",
        "None. 1 finding of the baseline is gone. Update the baseline, or it can return unnoticed.",
    )


@pytest.mark.parametrize("name", ["recompile_fixed", "nothing_changed", "nothing_changed_training"])
def test_nothing_is_found_where_nothing_became_worse(pair, rows, name):
    base, new = pair(name)
    assert outcomes(rows(new, "--baseline", base.folder, "--fail-on", "new:any,worse:any")) == {
        "new:any": "passed",
        "worse:any": "passed",
    }


def test_misses_of_caches_are_found_only_when_they_are_named(pair, rows):
    base, new = pair("line_changed")  # its second run has the cache of the first
    found = rows(new, "--baseline", base.folder, "--fail-on", "new:any,new:cache-miss")
    assert outcomes(found) == {"new:any": "passed", "new:cache-miss": "failed"}
    assert {row["kind"] for row in found[1]["findings"]} == {"cache-miss"}
    assert outcomes(rows(new, "--max-cache-misses", 100)) == {"max-cache-misses 100": "passed"}
    assert outcomes(rows(new, "--max-cache-misses", 0)) == {"max-cache-misses 0": "failed"}


def test_a_more_frequent_problem_is_worse(pair, rows, check, tmp_path):
    base, new = pair("recompile_fixed")
    assert outcomes(rows(base, "--baseline", new.folder))["new:any"] == "failed"
    check(base, "--write-baseline", "b.json")
    value = json.loads((tmp_path / "b.json").read_text())
    for row in value["findings"]:
        row["count"] = 1
    (tmp_path / "b.json").write_text(json.dumps(value))
    (found,) = rows(base, "--baseline", "b.json", "--fail-on", "worse:recompile")
    (row,) = found["findings"]
    assert (
        found["outcome"] == "failed"
        and row["function"] == "forward"
        and row["title"].endswith("(3 now, 1 in the baseline)")
    )


def test_slower_means_a_second_more_of_compile_time(pair, rows, check, tmp_path):
    base, new = pair("line_changed")  # 8 s from the caches; 29 s with a miss
    assert outcomes(rows(new, "--baseline", base.folder, "--fail-on", "slower:10%")) == {
        "slower:10%": "failed"
    }
    assert outcomes(rows(base, "--baseline", new.folder, "--fail-on", "slower:10%")) == {
        "slower:10%": "passed"
    }
    assert outcomes(rows(new, "--baseline", base.folder, "--fail-on", "slower:900%")) == {
        "slower:900%": "passed"
    }
    check(base, "--write-baseline", "b.json")
    (found,) = rows(new, "--baseline", "b.json", "--fail-on", "slower:10%")
    assert found["outcome"] == "unknown" and "--with-time" in found["text"]
    check(base, "--write-baseline", "b.json", "--with-time")
    assert outcomes(rows(new, "--baseline", "b.json", "--fail-on", "slower:10%")) == {"slower:10%": "failed"}
    time_us = json.loads((tmp_path / "b.json").read_text())["most_in_one_log"]["compile_time_us"]
    assert re.fullmatch(r"[1-9]\d0+", str(time_us))


def test_a_small_difference_is_not_slower(built, root, rows):
    base, new = (
        built(root / "fixtures" / name / "trace") for name in ("killed", "graph_breaks")
    )  # 73 ms and 647 ms
    assert outcomes(rows(new, "--baseline", base.folder, "--fail-on", "slower:10%")) == {
        "slower:10%": "passed"
    }


def test_a_break_on_one_rank_is_named_with_what_the_ranks_say_together(pair, rows):
    base, new = pair("new_break_on_a_rank")
    (found,) = rows(new, "--baseline", base.folder, "--fail-on", "new:graph-break")
    assert found["outcome"] == "failed" and {row["function"] for row in found["findings"]} == {"embed"}
    assert [row["title"].rpartition(" · ")[2] for row in found["findings"]] == [
        "all ranks",
        "rank 1 (rank_1_fixture0)",
    ]


# ---- findings that are not listed


def many_breaks(places):
    """Return a log with a graph break at each of these lines."""
    lines = ['str ["a.py", 0]']
    for number in places:
        lines += [
            (
                f'dynamo_start {number}/0 {{"stack": [{{"line": {number}, "name": "f{number}", "filename":'
                " 0}]}"
            ),
            f"artifact:dynamo_graph_break_reason {number}/0",
            f"  | Graph break in user code at a.py:{number}",
            f"  | Graph Break Reason: reason number {chr(97 + number % 26)}{chr(97 + number // 26)}",
            "  | User code traceback:",
            f'  |   File "a.py", line {number}, in f{number}',
            (
                f'compilation_metrics {number}/0 {{"co_name": "f{number}", "co_filename": "a.py",'
                f' "co_firstlineno": {number}, "graph_op_count": 1, "start_time_us": 5}}'
            ),
        ]
    return log("\n".join(lines))


def test_findings_that_are_not_listed_let_no_check_pass(log_of, rows, check, tmp_path):
    few, many, more = (log_of(many_breaks(range(1, count)), check=False).bundle for count in (290, 320, 330))
    kinds = {row["kind"] for row in many.logs[0].findings()}
    assert kinds == {"graph-break", "unlisted"}, "the log must have more findings than are listed"
    (found,) = rows(many, "--baseline", many.folder, "--fail-on", "new:graph-break")
    assert found["outcome"] == "unknown" and "not listed, so the rule cannot be checked" in found["text"]
    assert rows(many, "--baseline", many.folder, "--fail-on", "new:recompile")[0]["outcome"] == "passed"
    assert rows(many, "--baseline", few.folder)[0]["outcome"] == "failed"
    (found,) = rows(few, "--baseline", more.folder)
    assert found["outcome"] in ("passed", "unknown")
    check(more, "--write-baseline", "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["unlisted"] == {"graph-break": 30}


@pytest.mark.parametrize(
    "details", [{}, {"kinds": 1}, {"kinds": [1]}, {"kinds": [{"kind": "graph-break", "count": "many"}]}]
)
def test_details_that_are_damaged_are_refused(two_ranks, check, tmp_path, details):
    out = two_ranks(log("artifact:a 0/0\n | text"))
    shutil.copytree(out, tmp_path / "out")
    (folder,) = [path for path in (tmp_path / "out" / "logs").iterdir() if "rank_0" in path.name]
    row = {
        "id": 0,
        "kind": "unlisted",
        "fingerprint": "0" * 16,
        "severity": "info",
        "title": "t",
        "text": "",
        "count": 1,
        "because_of": None,
        "details": details,
    }
    row |= dict.fromkeys(("function", "file", "line", "cost_us", "cost_of")) | {
        name: [] for name in ("compiles", "events", "spans", "remedies")
    }
    (folder / "findings.jsonl").write_bytes(written("findings.jsonl", [row]))
    entry = {"rows": 1, "files": [{"path": f"logs/{folder.name}/findings.jsonl", "rows": 1}]}
    rewrite(folder, "log.json", lambda directory: directory["tables"].update(findings=entry))
    code, out, err = check("out", "--baseline", "out")
    assert code == 1 and out == "" and "is damaged" in err


# ---- invalid baseline files


@pytest.mark.parametrize(
    "text, said",
    [
        ("{", "is not a baseline"),
        ('{"format": {"name": "tlparse-bundle"}}', "is not a baseline"),
        ('{"what": "tlparse-bundle baseline", "version": 2}', "is a baseline of version 2"),
        ('{"what": "tlparse-bundle baseline", "version": 1, "findings": []}', "is damaged"),
        (
            (
                '{"what": "tlparse-bundle baseline", "version": 1, "most_in_one_log": {}, "unlisted": {},'
                ' "findings": [1]}'
            ),
            "is damaged",
        ),
    ],
)
def test_a_file_that_is_not_a_baseline_is_refused(bundle, check, tmp_path, text, said):
    (tmp_path / "b.json").write_text(text)
    code, out, err = check(bundle, "--baseline", "b.json")
    assert code == 1 and out == "" and said in err


# ---- outputs


def test_text_shows_findings_with_their_remedies(pair, check):
    base, new = pair("new_break")
    code, out, _ = check(new, "--baseline", base.folder, "--max-compiles", 3)
    assert code == FOUND
    lines = out.splitlines()
    assert (
        lines[0] == "✓ max-compiles 3 · fixture0: 3 compiles."
        and lines[1] == "✖ new:any: 1 finding not in the baseline."
    )
    assert (
        lines[2].startswith("  ! Graph break in `forward` at `program.py:14`, once")
        and "→ torch: Avoid calling builtin `print`" in out
    )
    assert lines[-1] == "1 of 2 checks failed."


HOSTILE = "a\x1b[31m,b:c%0A\u202e::error::x"


@pytest.fixture
def hostile(log_of):
    """A bundle with a failure whose words try to be more than text."""
    name = json.dumps(f"<b>{HOSTILE}</b>")
    text = (
        f'str ["{"x,y:z%.py"}", 0]\n dynamo_start 0/0 {{"stack": [{{"line": 7, "name": {name}, "filename":'
        f' 0}}]}}\n compilation_metrics 0/0 {{"co_name": {name}, "co_filename": "x,y:z%.py",'
        ' "co_firstlineno": 7, "start_time_us": 5, "fail_type": "E", "fail_reason":'
        f" {json.dumps(HOSTILE + chr(0) + chr(0xFFFF) + ' ]]>')}}}"
    )
    return log_of(log(text), check=False).bundle


def test_annotations_are_escaped(hostile, check):
    code, out, _ = check(hostile, "--no-failures", "--format", "github")
    assert code == FOUND
    (line,) = out.splitlines()
    assert (
        line.startswith("::error file=x%2Cy%3Az%25.py,line=7,title=max-failures 0 · ")
        and "\x1b" not in line
        and "\u202e" not in line
    )
    assert "%250A" in line and out.count("\n") == 1


def test_an_annotation_names_the_file_of_the_checkout(pair, check, tmp_path):
    """A finding names a file without the folders that all files of the log share."""
    base, new = pair("new_break")

    def places():
        return re.findall("file=([^,]+),", check(new, "--baseline", base.folder, "--format", "github")[1])

    assert places() == ["program.py"]
    for folder in ("src/models", ".venv/lib", "node_modules/x", "src/other"):
        (tmp_path / folder).mkdir(parents=True)
    for path in (
        "src/models/program.py",
        "src/other/not_program.py",
        ".venv/lib/program.py",
        "node_modules/x/program.py",
    ):
        (tmp_path / path).write_text("")
    assert places() == ["src/models/program.py"]
    assert (
        "file=src/models/program.py,"
        in run_warm(["report", new.folder, "--format", "github"], tmp_path).stdout.decode()
    )
    (tmp_path / "src" / "other" / "program.py").write_text("")
    assert places() == ["program.py"], "two files can be meant"


def test_junit_is_always_valid_xml(hostile, check, tmp_path):
    code, out, _ = check(
        hostile, "--no-failures", "--max-breaks", 0, "--junit", "report.xml", "--format", "junit"
    )
    assert code == FOUND and (tmp_path / "report.xml").read_text(encoding="utf-8") == out
    (suite,) = ElementTree.fromstring(out)
    assert suite.attrib == {
        "name": "tlparse-bundle check",
        "tests": "2",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    breaks, failures = suite
    assert [child.tag for child in breaks] == ["system-out"] and breaks.attrib["name"] == "max-breaks 0"
    assert failures[0].tag == "failure" and failures[0].attrib["message"] == "1 failure; the limit is 0."
    assert r"a\x1b[31m,b:c%0A\u202e::error::x" in failures[0].text and "]]>" in failures[0].text


def test_junit_has_an_error_or_a_skip_for_unknown_numbers(built, root, check):
    bundle = built(root / "fixtures" / "versions" / "2.4.1" / "breaks.log.zst")
    for options, tag in (((), "error"), (("--allow-unknown",), "skipped")):
        ((case,),) = ElementTree.fromstring(
            check(bundle, "--max-breaks", 0, "--format", "junit", *options)[1]
        )
        assert [child.tag for child in case] == [tag] and "not recorded" in case[0].attrib["message"]


def test_only_a_baseline_is_replaced_by_one(bundle, check, tmp_path):
    (tmp_path / "mine.json").write_text('{"mine": 1}')
    code, out, err = check(bundle, "--write-baseline", "mine.json")
    assert code == 1 and out == "" and "mine.json already exists and is not a baseline" in err
    assert (tmp_path / "mine.json").read_text() == '{"mine": 1}'
    assert [check(bundle, "--write-baseline", "b.json")[0] for _ in range(2)] == [0, 0]
    (tmp_path / "folder").mkdir()
    for option in ("--write-baseline", "--junit"):
        code, out, err = check(bundle, "--max-breaks", 0, option, "folder")
        assert code == 2 and "is a directory" in err
