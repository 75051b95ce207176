"""The tables of guards, checked against the trees in the payloads of fixtures; damaged trees."""

import json

import pytest
from log_builder import log, record


def guards(it, tree):
    """Return the guards of a tree as (kind, source, (file, line, function), depth, line of the payload)."""
    rows = [row for row in it.table("guards") if row["list"] == tree["list"]]
    assert len(rows) == tree["row_count"]
    places = [(row["file"], row["line"], row["function"]) for row in rows]
    return [
        (
            row["kind"],
            row["source"],
            None if place == (None,) * 3 else place,
            row["depth"],
            row["payload_line"],
        )
        for row, place in zip(rows, places, strict=True)
    ]


@pytest.mark.parametrize(
    "scenario", ["transformer", "recompiles", "ranks4", "graph_breaks", "compiled_autograd"]
)
def test_each_row_is_a_guard_of_the_payload(scenario, built, root):
    for it in built(root / f"fixtures/{scenario}/trace").logs:
        trees = it.table("guard_trees")
        payloads = {a.event: a.text().split("\n") for a in it.artifacts if a.type == "dynamo_cpp_guards_str"}
        assert [tree["event"] for tree in trees] == list(payloads)
        for tree in trees:
            lines = payloads[tree["event"]]
            leaves = [
                n
                for n, line in enumerate(lines)
                if "+- " in line and "Manager" not in line.split("+- ")[1].split(" at ")[0].split(":")[0]
            ]
            found = guards(it, tree)
            assert [row[4] for row in found] == leaves
            assert tree["guard_count"] == len(leaves) == sum(tree["counts"].values())
            for kind, source, place, depth, line in found:
                assert lines[line].startswith("| " * depth + "+- " + kind)
                if kind in ("TENSOR_MATCH", "TYPE_MATCH", "EQUALS_MATCH"):
                    assert source and source in lines[line]
                if place:
                    assert f"  # {place[0]}:{place[1]} in {place[2]}" in lines[line]
            assert lines[-1] == f"Guard latency = {tree['latency_us']:.2f} us"
            assert 0 < tree["latency_us"] < 1e6


def test_equal_lists_are_stored_once(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    trees = {tree["compile"]: tree for tree in it.table("guard_trees")}
    lists = {compile: tree["list"] for compile, tree in trees.items()}
    assert "3/4" not in lists  # refused by the recompile limit
    assert lists["3/0"] == lists["3/1"] == lists["3/2"] == lists["3/3"] != lists["2/0"]
    assert {tree["attempt"] for tree in trees.values()} == {0}
    assert list(dict.fromkeys(row["list"] for row in it.table("guards"))) == list(
        range(len(set(lists.values())))
    )
    counts = trees["1/0"]["counts"]
    assert (counts["TENSOR_MATCH"], counts["FALSE_MATCH"]) == (1, 1)
    assert trees["1/1"]["counts"]["TRUE_MATCH"] == 1
    (flag,) = (row for row in guards(it, trees["1/0"]) if row[0] == "FALSE_MATCH")
    assert flag[1:3] == ("L['flag']", ("user/project/program.py", 18, "flagged"))


def test_guards_as_a_list(built, root):
    (it,) = built(root / "fixtures/dynamic_shapes/trace").logs
    trees = [tree for tree in it.table("guard_trees") if tree["form"] == "list"]
    assert trees and all(tree["latency_us"] is None for tree in trees)
    for tree in trees:
        (text,) = (a.text() for a in it.artifacts if a.event == tree["event"])
        lines = text.split("\n")
        found = guards(it, tree)
        assert tree["guard_count"] == len(json.loads(text)) == len(found)
        assert all(json.loads(lines[row[4]].removesuffix(","))["code"] for row in found)


def test_no_guards_are_an_empty_table(built, root):
    (it,) = built(root / "fixtures/aoti/trace").logs
    assert it.table("guard_trees") == it.table("guards") == []


# Hand-made from here on.


def test_a_tree_of_managers_without_source_keeps_the_source_above(log_of):
    it = log_of(
        log("""
            dynamo_cpp_guards_str 0/0
                |
                | TREE_GUARD_MANAGER:
                | +- RootGuardManager
                | | +- DictGuardManager: source=L['m']._modules, accessed_by=DictGetItemGuardAccessor('_modules'), type=<class 'dict'>
                | | | +- KeyValueManager pair at index=0
                | | | | +- KeyManager: GuardManager: source=list(dict.keys(L['m']._modules))[0], type=<class 'str'>
                | | | | | +- EQUALS_MATCH: list(dict.keys(L['m']._modules))[0] == '0'
                | | | +- DICT_LENGTH: len(L['m']._modules) == 1  # return m(x)  # a/b c.py:39 in mod (HINT: guard on "m")
                | +- LAMBDA_GUARD: 2 <= L['x'].size()[0]
            """)
    )
    (tree,) = it.table("guard_trees")
    assert [row[:4] for row in guards(it, tree)] == [
        ("EQUALS_MATCH", "list(dict.keys(L['m']._modules))[0]", None, 4),
        ("DICT_LENGTH", "L['m']._modules", ("a/b c.py", 39, "mod"), 2),
        ("LAMBDA_GUARD", None, None, 0),
    ]
    assert (tree["manager_count"], tree["latency_us"]) == (4, None)


@pytest.mark.parametrize(
    "text", ["", "nothing", "Guard latency = nan us", "+-", "\x00", "| " * 5000 + "+- X"]
)
def test_a_payload_without_tree(text, log_of, found):
    it = log_of(record("dynamo_cpp_guards_str 0/0", payload=text))
    assert [(tree["guard_count"], tree["latency_us"]) for tree in it.table("guard_trees")] == [(0, None)]
    assert [code for code, *_ in found(it)] == ["table-parse"]


@pytest.mark.parametrize("text", ["", "{}", "1", '"x"', "[[[", "[" * 5000])
def test_a_payload_without_list(text, log_of, found):
    it = log_of(record("dynamo_guards 0/0", payload=text))
    assert it.table("guard_trees")[0]["guard_count"] == 0
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_very_large_trees_are_counted_to_the_end(log_of):
    tree = (
        "+- RootGuardManager\n"
        + "| +- TYPE_MATCH: x\n" * 6000
        + "".join(f"| +- KIND_{number}: x\n" for number in range(400))
    )
    it = log_of(record("dynamo_cpp_guards_str 0/0", payload=tree))
    (found,) = it.table("guard_trees")
    assert (found["guard_count"], found["row_count"], found["counts"]["TYPE_MATCH"]) == (6400, 5000, 6000)
    assert len(found["counts"]) == 257 and found["counts"]["OTHER"] == 400 - 255
    assert len(it.table("guards")) == 5000
