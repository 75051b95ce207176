"""Matching compiles, findings and settings of two runs."""

from types import SimpleNamespace

import pytest
from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.changed_settings import changed_settings, give_reasons
from tlparse_bundle.statements.runs.compare.compile_pairs import matched
from tlparse_bundle.statements.runs.compare.effects import _cause, _explains
from tlparse_bundle.statements.runs.compare.graph_structure import structure
from tlparse_bundle.statements.runs.compare.matched_findings import changed_findings, matched_findings
from tlparse_bundle.statements.runs.compare.moved_code import Move, Name, moves


def frame(key, function, line, graph, file="/home/a/model.py"):
    return Frame(key, function, file, line, graph)


def keys(pairs):
    return [(pair.base and pair.base.key, pair.new and pair.new.key) for pair in pairs]


def test_ids_lines_and_folders_may_differ():
    base = [frame("0/0", "f", 3, "F"), frame("1/0", "g", 9, "G"), frame("1/1", "g", 9, "G2")]
    new = [
        frame("0/0", "h", 1, "H", "/ci/model.py"),
        frame("1/0", "f", 13, "F", "/ci/model.py"),
        frame("2/0", "g", 19, "G", "/ci/model.py"),
        frame("2/1", "g", 19, "G2", "/ci/model.py"),
    ]
    assert keys(matched(base, new)) == [(None, "0/0"), ("0/0", "1/0"), ("1/0", "2/0"), ("1/1", "2/1")]


def test_two_functions_of_one_name_stay_apart():
    base = [frame("0/0", "forward", 3, "A"), frame("1/0", "forward", 9, "B")]
    new = [
        frame("0/0", "forward", 4, "A"),
        frame("1/0", "forward", 7, "NEW"),
        frame("2/0", "forward", 12, "B"),
    ]
    assert keys(matched(base, new)) == [("0/0", "0/0"), (None, "1/0"), ("1/0", "2/0")]


def test_one_recompile_more_is_a_compile_of_its_own():
    base = [frame("0/0", "f", 3, "A"), frame("0/1", "f", 3, "B")]
    new = [frame("0/0", "f", 3, "A"), frame("0/1", "f", 3, "C"), frame("0/2", "f", 3, "B")]
    assert keys(matched(base, new)) == [("0/0", "0/0"), (None, "0/1"), ("0/1", "0/2")]


def texts_of(graphs):
    """Return a run whose graphs have the texts of ``graphs``, by key of the frame."""
    return lambda *frames: SimpleNamespace(
        frames=list(frames), structure=lambda frame: structure(graphs[frame.graph])
    )


GRAPH = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[{size}]cpu"):
        l_x_ = L_x_

        # File: /p/{file}:3 in {name}, code: return torch.{op}(x)
        {op}: "f32[{size}]cpu" = torch.{op}(l_x_);  l_x_ = None
        return ({op},)
"""


def graph(op="relu", size=4, name="f", file="a.py"):
    return GRAPH.format(op=op, size=size, name=name, file=file).encode()


def test_structures_have_operators_and_shapes_and_no_names():
    assert structure(graph()) == structure(graph(name="g", file="b.py"))
    renamed = graph().replace(b"L_x_", b"L_y_").replace(b"l_x_", b"l_y_")
    assert structure(graph()) == structure(renamed)
    assert len({structure(graph()), structure(graph("tanh")), structure(graph(size=5))}) == 3
    assert structure(b"") is None


def test_a_function_is_renamed_only_if_its_graphs_are_equal():
    run = texts_of({"R": graph(), "R2": graph(name="g"), "T": graph("tanh"), "S": graph(size=5)})
    base = run(frame("0/0", "f", 3, "R"), frame("1/0", "k", 9, "T"))
    same = run(frame("0/0", "g", 5, "R2"), frame("1/0", "k", 9, "T"))
    assert moves(base, same) == [Move(Name("f", "model.py"), Name("g", "model.py"))]
    pairs = matched(base.frames, same.frames, moves(base, same))
    assert keys(pairs) == [("0/0", "0/0"), ("1/0", "1/0")]
    for other in ("T", "S"):
        assert moves(base, run(frame("0/0", "g", 5, other), frame("1/0", "k", 9, "T"))) == []
    assert moves(base, run(*base.frames, frame("2/0", "g", 20, "R2"))) == []  # `f` is still there


def test_a_finding_of_a_renamed_function_is_matched():
    def row(fingerprint, function, file="a.py", **more):
        return finding("graph-break", fingerprint, **more) | {"function": function, "file": file, "line": 1}

    moved = [Move(Name("f", "a.py"), Name("g", "b.py"))]
    base, new = table([row("1", "f"), row("2", "h")]), table([row("3", "g", "b.py"), row("4", "i", "b.py")])
    assert (
        list(changed_findings(base, table([row("3", "g", "b.py"), row("5", "h", "b.py")]), True, moved)) == []
    )
    assert [found.change for found in changed_findings(base, new, True, moved)] == ["new", "gone"]
    worse = table([row("3", "g", "b.py", count=3), row("5", "h", "b.py")])
    assert [found.change for found in changed_findings(base, worse, True, moved)] == ["worse"]


def change(kind, direction, key, **details):
    return Change(kind, "info", key, change=direction, details=details, key=key)


def test_autotuning_is_the_reason_of_longer_compiles_only():
    def reasons(*settings, direction):
        changes = [
            change("setting", "changed", name, config="inductor_config", name=name, base="false", new="true")
            for name in settings
        ]
        time = change("time", direction, "time", span=None)
        give_reasons([*changes, time])
        return time.because_of, time.text

    because, text = reasons("max_autotune", direction="worse")
    assert because == "max_autotune"
    assert text == "Reason: max_autotune; autotuning compiles and measures several kernels."
    assert reasons("max_autotune", direction="better") == (None, "")
    assert reasons("epilogue_fusion", direction="worse") == (None, "")
    because, text = reasons("max_autotune", "coordinate_descent_tuning", direction="worse")
    assert because is None
    assert text == "Possible reasons: max_autotune; coordinate_descent_tuning."


def test_another_file_of_the_same_name_of_function_is_another_compile():
    pairs = matched([frame("0/0", "f", 3, "A", "/x/a.py")], [frame("0/0", "f", 3, "A", "/x/b.py")])
    assert sorted(keys(pairs), key=str) == [("0/0", None), (None, "0/0")]


def test_all_compiles_occur_once():
    base = [frame(f"0/{i}", "f", 3, str(i % 3)) for i in range(20)]
    new = [frame(f"0/{i}", "f", 3, str(i % 4)) for i in range(15)]
    pairs = matched(base, new)
    assert sorted(pair.base.key for pair in pairs if pair.base) == sorted(one.key for one in base)
    assert [pair.new.key for pair in pairs if pair.new] == [one.key for one in new]


def finding(kind, fingerprint, severity="warning", count=1, **details):
    return {
        "kind": kind,
        "fingerprint": fingerprint,
        "severity": severity,
        "count": count,
        "details": details,
    }


def table(rows):
    return SimpleNamespace(not_recorded=set(), findings=rows)


def test_findings_are_matched_by_fingerprint():
    base = [
        finding("graph-break", "a"),
        finding("graph-break", "b", count=2),
        finding("recompile", "c", "error"),
        finding("failure", "d"),
    ]
    new = [
        finding("recompile", "c"),
        finding("graph-break", "b", count=3),
        finding("graph-break", "e"),
        finding("failure", "d"),
    ]
    assert [(found.change, found.row["fingerprint"], found.base_index, found.new_index) for found in matched_findings(base, new)] == [
        ("better", "c", 2, 0), ("worse", "b", 1, 1), ("new", "e", None, 2), ("same", "d", 3, 3), ("gone", "a", 0, None),
    ]  # fmt: skip
    assert [found.row["fingerprint"] for found in changed_findings(table(base), table(new), True)] == [
        "c",
        "b",
        "e",
        "a",
    ]


def test_unlisted_findings_are_neither_new_nor_gone():
    more = finding("unlisted", "u", kinds=[{"kind": "graph-break", "count": 900}])
    assert [
        found.row["kind"]
        for found in matched_findings([more], [finding("graph-break", "a"), finding("failure", "f")])
    ] == ["failure"]
    assert [
        found.row["kind"]
        for found in matched_findings([finding("graph-break", "a"), finding("failure", "f")], [more])
    ] == ["failure"]


def test_findings_that_depend_on_the_machine_are_not_a_change():
    assert (
        list(changed_findings(table([finding("slow-span", "a")]), table([finding("guard-cost", "b")]), True))
        == []
    )


def test_settings_of_the_place_are_recognized_by_whole_words():
    """'export' and 'import' hold 'port'."""
    sides = [
        {
            "cache_dir": "/a",
            "debug_port": 1,
            "rocm.ck_dir": "/a",
            "install_for_export": False,
            "support_it": 1,
            "same": 1,
        },
        {
            "cache_dir": "/b",
            "debug_port": 2,
            "rocm.ck_dir": "/b",
            "install_for_export": True,
            "support_it": 2,
            "same": 1,
        },
    ]
    runs = [
        SimpleNamespace(configs=[{"field": "dynamo_config", "base": None, "value": value}]) for value in sides
    ]
    assert [(setting.name, setting.base, setting.new) for setting in changed_settings(*runs)] == [
        ("install_for_export", "false", "true"),
        ("support_it", "1", "2"),
    ]


def test_a_setting_is_the_cause_of_a_miss_only_where_the_key_names_it():
    def setting(name):
        return Change(
            "setting",
            "info",
            name,
            change="changed",
            details={"config": "inductor_config", "name": name},
            key=name,
        )

    parts = ("inductor_config[max_autotune_gemm]",)
    assert _cause(parts, [], [setting("max_autotune"), setting("max")]) is None
    assert _cause(parts, [], [setting("max_autotune"), setting("max_autotune_gemm")]) == "max_autotune_gemm"
    assert _cause(None, [], [setting("max_autotune")]) is None


@pytest.mark.parametrize(("cost_us", "explains"), [(51, True), (50, False), (-51, False)])
def test_a_step_explains_a_difference_only_if_it_is_most_of_it(cost_us, explains):
    assert _explains(Change("time", "info", "", change="worse", cost_us=cost_us), 100) is explains
