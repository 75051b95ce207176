"""Matching compiles, findings and settings of two runs."""

from types import SimpleNamespace

from tlparse_bundle.statements.ranks.frames import Frame
from tlparse_bundle.statements.runs.compare.causes import changed_settings
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import matched
from tlparse_bundle.statements.runs.compare.effects import _cause
from tlparse_bundle.statements.runs.compare.matched_findings import changed_findings, matched_findings


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
