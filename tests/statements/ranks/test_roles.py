"""Roles of ranks, axes of process groups, and calls that cannot match."""

import pytest
from tlparse_bundle.statements.ranks.collective_calls import (
    Call,
    Unmatched,
    calls_of_code,
    can_meet,
    fits,
    unequal_splits,
)
from tlparse_bundle.statements.ranks.group_axes import RankCalls, Step, _hangs, axes_of
from tlparse_bundle.statements.ranks.point_to_point import transfers_of
from tlparse_bundle.statements.ranks.rank_sets import are_moved
from tlparse_bundle.statements.ranks.roles import Rank, roles_of


def rank(*functions, groups=""):
    """A rank that compiled functions: 'f' or 'f:inputs'."""
    inputs = {}
    for function in functions:
        name, _, names = function.partition(":")
        inputs[(name,)] = names or "usual"
    return Rank(inputs, frozenset(groups))


@pytest.mark.parametrize(
    ("ranks", "roles"),
    [
        ([rank("f"), rank("f")], [[0, 1]]),
        ([rank("f:a"), rank("f:a"), rank("f:b"), rank("f:b")], [[0, 1], [2, 3]]),  # stages
        ([rank("f:a"), rank("f:b"), rank("f:a"), rank("f:b")], [[0, 2], [1, 3]]),
        ([rank("a"), rank("b"), rank("c")], [[0], [1], [2]]),  # one rank per stage
        ([rank("f", "g"), rank("f", "g"), rank("f")], [[0, 1, 2]]),  # the last one ended earlier
        ([rank("f", "g"), rank("f", "h"), rank("f", "g")], [[0, 1, 2]]),  # one rank differs
        ([rank("f:a"), rank("f:a"), rank("f:b")], [[0, 1, 2]]),
        ([rank("f"), rank("f"), rank()], [[0, 1]]),  # a rank without compiles has no role
        ([rank("f:a", groups="0"), rank("f:b", groups="0")], [[0, 1]]),  # they call collectives together
        (
            [rank("f", "tie", "g", groups="03"), rank("f", "tie", "g", groups="03"), rank("f", "g", groups="0"),
             rank("f", "g", groups="0")],
            [[0, 1], [2, 3]],
        ),
        (
            [rank("f", "tie", groups="03"), rank("f", "tie", groups="03"), rank("f", groups="0"),
             rank("f", groups="0")],
            [[0, 1, 2, 3]],  # ranks 2 and 3 may have ended before `tie`
        ),
        ([], []),
    ],
)  # fmt: skip
def test_roles_of_ranks(ranks, roles):
    assert roles_of(ranks) == roles


@pytest.mark.parametrize(
    ("sets", "moved"),
    [([[0, 1], [2, 3]], True), ([[0, 2], [1, 3]], True), ([[0, 1], [2]], False), ([[0, 1], [2, 4]], False)],
)
def test_sets_that_are_the_first_one_moved(sets, moved):
    assert are_moved(sets) is moved


def test_groups_of_a_mesh_have_two_axes():
    assert axes_of({"1": [0, 2], "2": [1, 3], "3": [0, 1], "4": [2, 3]}) == {"1": 0, "2": 0, "3": 1, "4": 1}


def test_a_second_group_of_the_same_ranks_is_an_axis_of_its_own():
    assert axes_of({"1": [0, 1], "2": [2, 3], "5": [0, 1], "6": [2, 3]}) == {"1": 0, "2": 0, "5": 1, "6": 1}


def call(group, op="all_reduce", **cells):
    return Call(op, "sum", group, None, "f32", (4,), None, None, None)._replace(**cells)


def of(members, *groups, later=0):
    return RankCalls(members, [Step(call(group), 0, later) for group in groups])


def test_two_ranks_that_wait_for_each_other_hang():
    assert _hangs([of([0], "a", "b"), of([1], "b", "a")])
    assert not _hangs([of([0], "a", "b"), of([1], "a", "b")])


def test_ranks_that_wait_later_do_not_hang_for_certain():
    assert not _hangs([of([0], "a", "b", later=1), of([1], "b", "a", later=1)])
    assert not _hangs([of([0], "a", "b", later=None), of([1], "b", "a", later=None)])


def test_one_swapped_rank_of_a_mesh_does_not_hang():
    mesh = [of([0], "tp0", "dp0"), of([1], "dp1", "tp0"), of([2], "tp1", "dp0"), of([3], "tp1", "dp1")]
    assert not _hangs(mesh)
    mesh[2] = of([2], "dp0", "tp1")
    assert _hangs(mesh)


@pytest.mark.parametrize(
    ("cells", "meets", "fit"),
    [
        ({}, True, True),
        ({"reduce_op": "max"}, True, False),
        ({"dtype": "f16"}, False, False),
        ({"shape": (5,)}, False, False),
        ({"shape": ("s0",)}, True, True),
        ({"op": "broadcast"}, False, False),
        ({"dtype": None, "shape": None}, True, True),
    ],
)
def test_calls_that_can_meet(cells, meets, fit):
    one, other = call("0"), call("0", **cells)
    assert (can_meet(one, other), fits(one, other)) == (meets, fit)


def test_roots_of_a_broadcast_are_compared():
    assert not can_meet(call("0", "broadcast", root=0), call("0", "broadcast", root=1))


def exchange(output, input_):
    return call("0", "all_to_all_single", shape=None, output_splits=output, input_splits=input_)


def test_what_a_rank_sends_must_be_what_the_other_one_expects():
    calls = [exchange((1, 3), (1, 2)), exchange((2, 4), (3, 4))]
    assert unequal_splits(calls) == []
    calls[1] = exchange((5, 4), (3, 4))
    assert unequal_splits(calls) == [Unmatched(0, 1, 2, 5)]


@pytest.mark.parametrize("splits", [None, (1,), ("u0", "u1")])
def test_sizes_that_are_not_recorded_do_not_contradict(splits):
    assert unequal_splits([exchange((1, 3), (1, 2)), exchange(splits, splits)]) == []


CODE = """
buf0 = torch.ops._c10d_functional.all_gather_into_tensor.default(arg0, 2, '2')
torch.ops._c10d_functional.all_reduce_.default(buf4, 'sum', '0')
torch.ops._c10d_functional.wait_tensor.default(buf0)
buf5 = torch.ops._c10d_functional.all_to_all_single.default(buf4, [3, u0], [2, 2], '0')
torch.ops._c10d_functional.wait_tensor.default(buf4)
buf6 = torch.ops._c10d_functional.broadcast.default(buf5, 1, '0')
torch.ops._c10d_functional.wait_tensor.default(buf6)
buf7 = torch.ops._c10d_functional.batch_p2p_ops.default(['isend', 'irecv'], [1, 3], [0, 7], [buf6, buf1], '0')
buf8 = torch.ops._c10d_functional.isend.default(buf7, 2, 5, '0')
buf9 = torch.ops._c10d_functional.isend.default(buf7, 2, 5, '4')
"""


def test_calls_of_code_and_their_waits():
    started = calls_of_code(CODE)
    assert [(one.call.op, one.call.group, one.later) for one in started] == [
        ("all_gather_into_tensor", "2", 1),
        ("all_reduce", "0", 1),
        ("all_to_all_single", "0", None),
        ("broadcast", "0", 0),
    ]
    assert (started[0].call.group_size, started[3].call.root) == (2, 1)
    assert (started[2].call.output_splits, started[2].call.input_splits) == ((3, "u0"), (2, 2))


def test_sends_and_receives_of_code():
    assert transfers_of(CODE) == [("isend", 1, 0), ("irecv", 3, 7), ("isend", 2, 5)]


def test_text_without_collectives_has_no_calls():
    assert (calls_of_code("x = 1"), transfers_of("x = 1")) == ([], [])
