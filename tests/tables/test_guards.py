"""The tables of guards, checked against the trees in the payloads of fixtures; damaged trees."""

import json

import pytest
from log_builder import log, record


def guards(it, tree):
    """Return the guards of a tree as (kind, source, (file, line, function), depth, line of the payload, text)."""
    table = it.table("guards")
    assert [row["id"] for row in table] == list(range(len(table)))
    rows = [table[id_] for id_ in tree["guards"]]
    places = [(row["file"], row["line"], row["function"]) for row in rows]
    return [
        (row["kind"], row["source"], None if place == (None,) * 3 else place, row["depth"], line, row["text"])
        for row, place, line in zip(rows, places, tree["payload_lines"], strict=True)
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
            for kind, source, place, depth, line, text in found:
                assert lines[line].startswith("| " * depth + "+- " + kind)
                assert text in lines[line] and "  #" not in text
                if kind in ("TENSOR_MATCH", "TYPE_MATCH", "EQUALS_MATCH"):
                    assert source and source in lines[line]
                if place:
                    assert f"  # {place[0]}:{place[1]} in {place[2]}" in lines[line]
            assert lines[-1] == f"Guard latency = {tree['latency_us']:.2f} us"
            assert 0 < tree["latency_us"] < 1e6


def test_equal_guards_are_stored_once(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    trees = {tree["compile"]: tree for tree in it.table("guard_trees")}
    assert "3/4" not in trees  # refused by the recompile limit
    own = [set(trees[f"3/{number}"]["guards"]) for number in range(4)]
    assert all(len(one - other) == 1 for one in own for other in own if one is not other)  # the size of x
    cells = [tuple(value for key, value in row.items() if key != "id") for row in it.table("guards")]
    assert len(cells) == len(set(cells))
    assert {tree["attempt"] for tree in trees.values()} == {0}
    counts = trees["1/0"]["counts"]
    assert (counts["TENSOR_MATCH"], counts["FALSE_MATCH"]) == (1, 1)
    assert trees["1/1"]["counts"]["TRUE_MATCH"] == 1
    (flag,) = (row for row in guards(it, trees["1/0"]) if row[0] == "FALSE_MATCH")
    assert flag[1:3] == ("L['flag']", ("user/project/program.py", 18, "flagged"))


def test_what_a_guard_asks_for(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    asked = {(row["kind"], row["source"], row["expected"]): row for row in it.table("guards")}
    assert asked["TENSOR_MATCH", "L['x']", "f32[None, 2][2, 1]cpu"]["can_be_evaluated"]
    assert asked["FALSE_MATCH", "L['flag']", "False"]["text"] == "L['flag'] == False"
    assert ("TYPE_MATCH", "L['x']", "torch.Tensor") in asked
    (state,) = (row for row in it.table("guards") if row["kind"] == "TORCH_FUNCTION_MODE_STACK")
    assert (state["expected"], state["can_be_evaluated"]) == (None, False)


def test_guards_as_a_list(built, root):
    (it,) = built(root / "fixtures/dynamic_shapes/trace").logs
    trees = [tree for tree in it.table("guard_trees") if tree["form"] == "list"]
    assert trees and all(tree["latency_us"] is None for tree in trees)
    for tree in trees:
        (text,) = (a.text() for a in it.artifacts if a.event == tree["event"])
        lines = text.split("\n")
        found = guards(it, tree)
        assert tree["guard_count"] == len(json.loads(text)) == len(found)
        assert all(json.loads(lines[row[4]].removesuffix(","))["code"] == row[5] for row in found)


def test_a_list_of_torch_2_3_has_kinds_and_sources(built, root):
    (it,) = built(root / "fixtures/versions/2.3.1/recompiles.log.zst").logs
    kinds = {(row["kind"], row["source"], row["expected"]) for row in it.table("guards")}
    assert ("TENSOR_MATCH", "L['x']", "f32[4, 8][8, 1]cpu") in kinds
    assert {kind for kind, *_ in kinds} > {"DEFAULT_DEVICE", "BACKEND_MATCH", "HASATTR", "TENSOR_MATCH"}


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
    assert (found["guard_count"], len(found["guards"]), found["counts"]["TYPE_MATCH"]) == (6400, 5000, 6000)
    assert len(found["counts"]) == 257 and found["counts"]["OTHER"] == 400 - 255
    assert len(found["payload_lines"]) == 5000 and len(it.table("guards")) == 1
