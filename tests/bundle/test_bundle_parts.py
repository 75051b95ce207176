"""Parts of reading a bundle: growing findings, pages for notebooks, names of artifacts, permissions."""

import os
import stat

import pytest
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.atomic.permissions import readers, restrict, seal
from tlparse_bundle.bundle.find import find
from tlparse_bundle.bundle.growing import (
    findings_now,
    is_growing,
    job_now,
    live_of,
    log_now,
    rank_findings_now,
    running_in,
    who,
)
from tlparse_bundle.bundle.notebook_html import Part, overview_html

# ---- ranks of a growing bundle


@pytest.mark.parametrize(
    ("ranks", "ids", "expected"),
    [
        ([3], [], "rank 3"),
        ([1, 0], [], "ranks 0–1"),
        ([0, 2, 3, 4, 9], [], "ranks 0, 2–4, 9"),
        ([0, 2, 4, 6], [], "ranks 0, 2, 4, 6"),
        ([0, 1, 3, 5, 7, 9], [], "6 ranks (0–1, 3, …)"),
        ([], ["a", "b"], "a, b"),
        ([], ["a", "b", "c"], "3 logs without a rank"),
        ([0], ["a"], "rank 0, a"),
        ([], [], ""),
    ],
)
def test_ranks_in_words(ranks, ids, expected):
    rows = [{"id": f"rank_{rank}", "rank": rank} for rank in ranks] + [{"id": id, "rank": None} for id in ids]
    assert who(rows) == expected


# ---- findings of a growing bundle


def summary(**fields):
    return {
        "text": "The final text.",
        "compile_count": 3,
        "function_count": 2,
        "compile_us": 1_500_000,
        "failure_count": 0,
        "graph_break_count": 1,
        "recompile_count": 2,
        "unfinished_count": 2,
        "findings": {"error": 2, "warning": 1, "info": 0},
        **fields,
    }


def manifest(*running, growing=True, **fields):
    row = {"id": "x", "rank": 0, "event_count": 10, "summary": summary(**fields)}
    live = {"id": "x", "running": [{"compile": key} for key in running]}
    return {"growing": growing, "logs": [row], "live": {"logs": [live]}}


def test_which_bundles_grow():
    assert (
        is_growing(manifest())
        and not is_growing(manifest(growing=False))
        and not is_growing({"growing": True})
    )
    assert live_of(manifest(), "x")["id"] == "x" and live_of(manifest(), "y") is None
    assert live_of(manifest(growing=False), "x") is None
    assert running_in(manifest("0/0", None), "x") == {"0/0", None} and running_in(manifest(), "y") == set()


def test_a_summary_so_far_is_without_open_compiles():
    found = manifest("0/0")
    now = log_now(found, found["logs"][0])["summary"]
    assert now["text"] == "3 compiles of 2 functions so far in 1.5 s: 1 graph break and 2 recompiles."
    assert (now["unfinished_count"], now["findings"]) == (1, {"error": 1, "warning": 1, "info": 0})
    many = manifest("0/0", "1/0", "2/0")
    now = log_now(many, many["logs"][0])["summary"]
    assert now["unfinished_count"] == 0 and now["findings"]["error"] == 0
    none = manifest(compile_count=0)
    assert log_now(none, none["logs"][0])["summary"]["text"] == "No compiles so far."
    plain = manifest(
        compile_us=None, graph_break_count=None, recompile_count=0, compile_count=1, function_count=1
    )
    assert log_now(plain, plain["logs"][0])["summary"]["text"] == "1 compile of 1 function so far."
    finished = manifest(growing=False)
    assert log_now(finished, finished["logs"][0]) is finished["logs"][0]


def finding(id, kind="recompile", compiles=(), events=(), count=1, because_of=None, **details):
    return {
        "id": id,
        "kind": kind,
        "compiles": list(compiles),
        "events": list(events),
        "count": count,
        "because_of": because_of,
        "details": details,
        "severity": "error",
    }


def left(found, *rows):
    return [row["id"] for row in findings_now(found, found["logs"][0], rows)]


def test_findings_about_what_is_still_to_come_are_left_out():
    found = manifest("0/0", None)
    assert left(
        found, finding(0, "unfinished-compile", ["0/0"]), finding(1, "unfinished-compile", ["1/0"])
    ) == [1]
    assert left(
        found, finding(0, "unfinished-compile", ["0/0", "1/0"]), finding(1, "unfinished-compile")
    ) == [0]
    assert left(found, finding(0, "recompile", ["0/0"])) == [0]
    last, earlier = finding(0, "data-problem", events=[9]), finding(1, "data-problem", events=[8])
    assert left(found, last, earlier, finding(2, "data-problem", events=[9], count=2)) == [1, 2]
    cut, other = finding(0, "data-problem", code="record-cut"), finding(1, "data-problem", code="payload-md5")
    assert left(found, cut, other, finding(2, "data-problem", code="empty-log")) == [1]
    finished = manifest(growing=False)
    assert left(finished, finding(0, "unfinished-compile", ["0/0"])) == [0]


def test_an_effect_of_a_finding_that_is_left_out_stands_alone():
    found = manifest("0/0")
    rows = [finding(0, "unfinished-compile", ["0/0"]), finding(1, because_of=0), finding(2, because_of=1)]
    assert [row["because_of"] for row in findings_now(found, found["logs"][0], rows)] == [None, 1]


def of_ranks(*busy):
    rows = [{"id": f"r{rank}", "rank": rank} for rank in range(4)]
    live = [{"id": f"r{rank}", "running": ["a compile"] if rank in busy else []} for rank in range(4)]
    job = {"text": "2 findings.", "findings": {"error": 2, "warning": 0, "info": 0}}
    return {"growing": True, "logs": rows, "live": {"logs": live}, "job": job}


def rank_finding(id, kind, *ranks, because_of=None):
    return {"id": id, "kind": kind, "ranks": list(ranks), "because_of": because_of, "severity": "error"}


def test_findings_that_ranks_are_compiling_are_left_out():
    rows = [
        rank_finding(0, "unfinished-compile", [1, 2]),
        rank_finding(1, "straggler", [1, 1], because_of=0),
        rank_finding(2, "cut-log", [2, 3]),
        rank_finding(3, "cut-log", [0, 0], because_of=2),
    ]
    found = rank_findings_now(of_ranks(1, 2), rows)
    assert [(row["id"], row["kind"], row["because_of"]) for row in found] == [
        (0, "straggler", None),
        (1, "cut-log", None),
        (2, "cut-log", 1),
    ]
    assert rank_findings_now(of_ranks(), rows) is rows
    assert rank_findings_now({**of_ranks(1, 2), "growing": False}, rows) is rows


def test_the_headline_of_ranks_that_are_compiling():
    rows = [rank_finding(0, "cut-log", [1, 1]), rank_finding(1, "straggler", [2, 2])]
    job = job_now(of_ranks(1), rows)
    assert (job["text"], job["findings"]["error"]) == ("Ranks 0–3: 1 finding so far.", 1)
    assert job_now(of_ranks(1), rows[:1])["text"] == "Ranks 0–3: no difference so far."
    assert job_now(of_ranks(), rows)["text"] == "2 findings."


# ---- notebooks


def row(**fields):
    return {
        "severity": "error",
        "title": "`f<x>` & *g*",
        "file": "a.py",
        "line": 3,
        "remedies": [{"text": "Do `this`."}, {"text": "Or that."}],
        "because_of": None,
        **fields,
    }


def test_a_log_in_a_notebook():
    html = overview_html("My <run>", None, [Part("x", "The headline.", lambda: [row(), row(because_of=0)])])
    assert html == (
        '<div class="tex2jax_ignore mathjax_ignore"><p><span style="opacity: 0.7">My &lt;run&gt;</span></p>'
        "<p><strong>The headline.</strong></p>"
        "<p>✖ <code>f&lt;x&gt;</code> &amp; *g*"
        ' <span style="opacity: 0.7">a.py:3</span><br>→ Do <code>this</code>.</p></div>'
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"severity": "warning", "file": None, "remedies": []}, "<p>▲ t</p>"),
        (
            {"severity": "info", "line": None, "remedies": []},
            '<p>● t <span style="opacity: 0.7">a.py</span></p>',
        ),
    ],
)
def test_findings_in_a_notebook(fields, expected):
    assert expected in overview_html("", None, [Part("x", "", lambda: [row(title="t", **fields)])])


def test_an_unmatched_backtick_in_a_notebook():
    assert "<strong>a ` b</strong>" in overview_html("", None, [Part("x", "a ` b", list)])
    assert "<code>a</code> ` b" in overview_html("", None, [Part("x", "`a` ` b", list)])


def test_findings_beyond_a_limit_are_counted_in_a_notebook():
    for count in (5, 6):
        html = overview_html("", None, [Part("x", "", lambda count=count: [row()] * count)])
        assert html.count("✖") == 5 and ("… and 1 more finding: bundle.show()" in html) == (count > 5)


def test_several_logs_in_a_notebook():
    def fail():
        raise BundleError("left <out>")

    parts = [Part(f"rank {number}", f"Text {number}.", list) for number in range(41)]
    html = overview_html("", Part("all ranks", "Together.", fail), parts)
    assert "<strong>Together.</strong></p><p>left &lt;out&gt;</p>" in html
    assert '<span style="opacity: 0.7">rank 39</span> Text 39.</p>' in html and "rank 40" not in html
    assert "<p>… and 1 more log</p>" in html
    assert "more log" not in overview_html("", None, parts[:40])


# ---- names of artifacts


@pytest.fixture
def bundle(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"dedicated_log_torch_trace_{name}.log").write_bytes(
            log("""
                dynamo_start 0/0
                artifact:x 0/0
                    | first
                artifact:x 0/0
                    | second
                artifact:p/q 0/0
                    | slashes
                artifact:y 0/0_1
                    | attempt 1
                artifact:y 0/0_2
                    | attempt 2
                artifact:z
                    | outside
                chromium_event 0/0
                    | {"name": "s", "ph": "B", "ts": 1}
            """)
        )
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    return Bundle.open(tmp_path / "out")


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("a/0/0/x", b"first"),
        ("b/0/0/x#2", b"second"),
        ("a/0/0/p/q", b"slashes"),
        ("a/0/0_1/y", b"attempt 1"),
        ("a/0/0_2/y", b"attempt 2"),
        ("a/-/z", b"outside"),
    ],
)
def test_an_artifact_is_found(bundle, what, expected):
    assert find(bundle, what) == expected


def test_a_timeline_is_one_array(bundle):
    assert find(bundle, "a/timeline").startswith(b'[\n{"name"') and find(bundle, "a/timeline").endswith(
        b"}\n]\n"
    )


@pytest.mark.parametrize(
    ("what", "message", "hint"),
    [
        ("0/0/x", "is ambiguous: 2 logs have this compile", "Use one of: a/0/0/x, b/0/0/x"),
        ("a/0/0/y", "has it in attempts 0/0_1, 0/0_2", "Use one of: a/0/0_1/y, or a/0/0_2/y"),
        ("a/0/0/x#3", "has no artifact 'x#3'", "Its artifacts: x, p/q, y"),
        ("a/0/0/x#0", "has no artifact 'x#0'", "Its artifacts: x, p/q, y"),
        ("a/9/9/x", "9/9", ""),
        ("c/0/0/x", "has no log 'c'", ""),
    ],
)
def test_an_artifact_that_is_not_there(bundle, what, message, hint):
    with pytest.raises(BundleError) as raised:
        find(bundle, what)
    assert message in raised.value.message and hint in raised.value.hint


# ---- permissions


def test_who_may_read(tmp_path):
    def made(name, mode):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
        return tmp_path / name

    everybody, group, owner = made("e", 0o644), made("g", 0o640), made("o", 0o600)
    assert readers([everybody]) == readers([]) == readers([tmp_path / "none"]) == 0o777
    assert readers([everybody, group]) == 0o770 and readers([str(group), owner]) == 0o700
    assert readers([object()]) == 0o777


def test_a_sealed_folder_is_closed_to_others(tmp_path):
    (tmp_path / "x" / "y").mkdir(parents=True)
    (tmp_path / "x" / "y" / "z").touch(0o644)
    (tmp_path / "x" / "link").symlink_to(tmp_path)
    before = stat.S_IMODE(os.stat(tmp_path).st_mode)
    seal(str(tmp_path / "x"), 0o700)
    for place in ("x", "x/y", "x/y/z"):
        assert stat.S_IMODE(os.stat(tmp_path / place).st_mode) & 0o077 == 0
    assert stat.S_IMODE(os.stat(tmp_path).st_mode) == before


def test_only_permissions_are_removed(tmp_path):
    (tmp_path / "x").touch()
    (tmp_path / "x").chmod(0o2640)
    restrict(str(tmp_path / "x"), 0o777)
    assert stat.S_IMODE(os.stat(tmp_path / "x").st_mode) == 0o2640
    restrict(str(tmp_path / "x"), 0o707)
    assert stat.S_IMODE(os.stat(tmp_path / "x").st_mode) == 0o2600
