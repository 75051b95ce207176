"""Calls that compiled, replayed with guards relaxed."""

from dataclasses import replace

import pytest
from compiled_run import DYNAMIC, FLAG, UNBACKED, X0, X1, Run
from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.duck_sizes import DuckSizes
from tlparse_bundle.guards.failing import Difference
from tlparse_bundle.guards.fixes import Fix, fixes_of
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.savings import Compiled, Saving, without_firsts
from tlparse_bundle.guards.values import Tensor, is_dense
from tlparse_bundle.guards.views import View, views_of
from tlparse_bundle.guards.what_if import WhatIf

VIEW, AS_LONG = (View(equal, (9,)) for equal in (frozenset(), frozenset(((0, 0),))))


@pytest.fixture
def run():
    return Run()


def test_a_dynamic_dimension_avoids_the_recompiles_of_its_sizes(run):
    for number in (4, 5, 6):
        run.call(size=(number, 3))
    assert run.savings() == {(X0,): (1, 2), (DYNAMIC,): (1, 2)}


def test_a_second_guard_keeps_a_recompile(run):
    run.call(size=(4, 3), flag=True)
    run.call(size=(5, 3), flag=True)
    run.call(size=(6, 3), flag=False)
    savings = run.savings()
    assert savings[X0,] == (1,) and savings[FLAG,] == ()
    assert next(avoided for fixes, avoided in savings.items() if {*fixes} == {X0, FLAG}) == (1, 2)


def test_sizes_0_and_1_need_an_unbacked_dimension(run):
    run.call(size=(1, 3))
    run.call(size=(4, 3))
    run.call(size=(5, 3), dynamic=(0,))
    savings = run.savings()
    assert savings[X0,] == (2,) and savings[UNBACKED,] == (1, 2)


def test_a_branch_on_the_size_keeps_a_compile_for_each_side(run):
    run.call(size=(4, 3))
    run.call(size=(6, 3), dynamic=(0,), conditions=("L['x'].size()[0] > 5",))
    run.call(size=(3, 3), dynamic=(0,), conditions=("L['x'].size()[0] <= 5",))
    savings = run.savings()
    assert savings[X0,] == (2,) and (UNBACKED,) not in savings


def test_a_size_that_the_program_specializes_is_not_offered(run):
    for number in (4, 5, 6):
        run.call(size=(number, 3))
    assert run.savings(specialized=frozenset({("L['x']", 0)})) == {}


def test_strides_follow_a_dynamic_size(run):
    run.call(size=(4, 3))
    run.call(size=(4, 5))
    assert run.savings()[X1,] == (1,)


def test_another_layout_does_not_follow(run):
    run.call(size=(4, 3))
    run.call(size=(4, 5), stride=(1, 4))
    savings = run.savings()
    assert savings[X1,] == () and savings[Fix("same_layout", "L['x']"),] == ()
    assert (0,) not in savings.values() and any(
        avoided == (1,) for fixes, avoided in savings.items() if len(fixes) == 2
    )


def test_dynamic_true_is_for_sizes_and_integers_of_arguments(run):
    run.call(size=(4, 3), n=5)
    run.call(size=(7, 3), n=6)
    assert run.savings()[DYNAMIC,] == (1,)


def test_equal_sizes_share_a_symbol_with_dynamic_true(run):
    run.call(size=(4, 4), n=5)
    run.call(size=(4, 7), n=5)
    run.call(size=(5, 5), n=6)
    assert run.savings()[DYNAMIC,] == (2,)


@pytest.mark.parametrize(("offset", "base", "avoided"), [(16, (64,), ()), (7, (16,), ()), (7, (64,), (1,))])
def test_a_view_shares_symbols_with_its_offset_and_its_base(run, offset, base, avoided):
    run.call(size=(16, 3))
    run.call(size=(12, 3))
    run.compiles = [replace(one, views={"L['x']": View(frozenset(), base)}) for one in run.compiles]
    for one in run.compiles:
        one.input.values["L['x'].storage_offset()"] = offset
    assert run.savings()[DYNAMIC,] == avoided


def test_calls_that_hit_an_entry_before_can_need_another_with_dynamic_true(run):
    """In the last compile, x is as long as its base, which need not be so in calls that hit its entry."""
    run.call(size=(4, 8), flag=True)
    run.call(size=(5, 8), dynamic=(0,), flag=True)
    run.call(size=(4, 8), dynamic=(0,), flag=False)
    assert run.savings()[DYNAMIC,] == (1,)
    run.compiles[2] = replace(run.compiles[2], views={"L['x']": View(frozenset(), (4,))})
    saving = run.all_savings()[DYNAMIC,]
    assert (saving.avoided, saving.undecided) == ((), (1,))
    assert run.savings()[X0,] == (1,)


EQUAL = "L['x'].size()[0] == L['x'].size()[1]"


@pytest.mark.parametrize(
    ("call", "narrowed"),
    [
        ({"size": (4, 4), "dynamic": (0,)}, True),
        ({"size": (4, 4), "dynamic": (0, 1)}, True),
        ({"size": (4, 4), "dynamic": (0, 1), "conditions": (EQUAL,)}, False),
        ({"size": (4, 4)}, False),
        ({"size": (4, 5), "dynamic": (0, 1)}, False),
        ({"size": (1, 1), "dynamic": (0,)}, False),
    ],
)
def test_an_entry_is_narrower_where_sizes_share_a_symbol(run, call, narrowed):
    run.call(**call)
    assert DuckSizes(CodeHistory(run.compiles, run.guards)).is_narrower(0, [0]) == narrowed


def test_sizes_that_a_guard_wants_equal_are_marked_together(run):
    """torch raises where one of them stays static (ConstraintViolationError)."""
    for number in (4, 5, 6):
        run.call(size=(number, number), dynamic=(1,), conditions=(EQUAL,))
    savings = run.savings()
    assert savings[X0,] == ()


def test_sizes_that_are_not_equal_in_the_first_call_are_marked_alone(run):
    for number in (4, 5, 6):
        run.call(size=(number, 3), conditions=("2 * L['x'].size()[0] == L['x'].size()[1]",))
    assert run.savings()[X0,] == (1, 2)


def test_each_aspect_of_a_tensor_has_its_fix(run):
    run.call(size=(4, 3))
    run.call(size=(4, 3), dtype="torch.float64")
    run.call(size=(4, 3), grad=True)
    savings = run.savings()
    assert savings[Fix("same_dtype", "L['x']"),] == (1,)
    assert savings[Fix("same_requires_grad", "L['x']"),] == (2,)


def test_a_value_that_a_call_does_not_state_is_not_taken_to_fit(run):
    run.call(size=(4, 3), mode="sum", scale=2)
    run.call(size=(4, 3), mode="mean")
    assert run.savings()[Fix("few_values", "L['mode']"),] == ()


def test_a_compile_without_guards_is_no_cache_entry(run):
    run.call()
    run.call()
    assert run.savings() == {}


def test_a_guard_that_torch_names_fails_whatever_is_known(run):
    run.call(size=(4, 3))
    run.call(size=(4, 3))
    history = CodeHistory(run.compiles, run.guards, named={(1, 0): 0})
    ((difference,),) = history.failed(1, 0).values()
    assert difference.aspect == "other" and [*history.disagreements] == [(1, 0)]


def test_a_guard_that_holds_for_what_is_known_disagrees_with_torch(run):
    run.call(n=4, conditions=("L['n'] < 9",))
    run.call(n=5)
    condition = next(id_ for id_, guard in run.guards.items() if guard.kind == "LAMBDA_GUARD")
    history = CodeHistory(run.compiles, run.guards, named={(1, 0): condition})
    failed = {run.guards[id_].text: found for id_, found in history.failed(1, 0).items()}
    assert {text: difference.aspect for text, (difference,) in failed.items()} == {
        "L['n'] == 4": "value",
        "L['n'] < 9": "other",
    }
    assert [*history.disagreements] == [(1, condition)]


def test_a_guard_that_fails_as_torch_says_has_its_difference(run):
    run.call(n=4)
    run.call(n=5)
    history = CodeHistory(run.compiles, run.guards, named={(1, 0): 0})
    ((difference,),) = history.failed(1, 0).values()
    assert difference.aspect == "value" and not history.disagreements


def test_a_guard_that_torch_names_fails_in_each_entry_that_has_it(run):
    for number in (4, 5, 6):
        run.call(size=(number, 3))
    code = len(run.guards)
    run.guards[code] = Predicate(
        "ID_MATCH", "L['self'].f.__code__", "___check_obj_id(L['self'].f.__code__, 1)"
    )
    for compiled in run.compiles[:2]:
        compiled.guards[code] = None
    assert run.savings(named={(2, 1): code})[X0,] == (1,)


def test_a_method_is_the_same_for_one_type(run):
    identity = Difference("identity", "type(L['x']).__call__.__code__")
    assert fixes_of(identity) == (Fix("same_type", "L['x']"),)
    assert fixes_of(Difference("identity", "L['x']")) == (Fix("same_object", "L['x']"),)


@pytest.mark.parametrize(("size", "stride", "dense"), [((1, 4), (99, 1), True), ((2, 4), (99, 1), False)])
def test_the_stride_of_a_dimension_of_size_1_does_not_matter(size, stride, dense):
    assert is_dense(Tensor(size, stride), Tensor((2, 4), (4, 1))) is dense


@pytest.mark.parametrize(
    "costs, usual",
    [
        ([70, 120, 50, 60, 90], 60),  # the other recompiles tell
        ([70, 120], 70),  # only the first compile does
        ([170, 120], 120),  # never more than its own time
        ([None, 120], 120),
        ([70, None, 50], None),
    ],
)
def test_what_the_first_dynamic_compile_of_a_process_would_take_later(costs, usual):
    compiles = [Compiled(f"0/{place}", {}, None, cost, cost) for place, cost in enumerate(costs)]
    found = without_firsts(compiles, frozenset(("0/1",)))
    assert [one.saved_us for one in found] == [costs[0], usual, *costs[2:]]


def test_only_compiles_that_miss_the_cache_tell_what_one_that_misses_takes():
    costs = ((900, False), (1200, False), (90, True), (1000, False))
    compiles = [
        Compiled(f"0/{n}", {}, None, cost, cost, ("key",), hit) for n, (cost, hit) in enumerate(costs)
    ]
    assert without_firsts(compiles, frozenset(("0/1",)))[1].saved_us == 1000


def _cached(*costs_and_graphs):
    seen, compiles = set(), []
    for cost, graph in costs_and_graphs:
        compiles.append(Compiled("0/0", {}, None, cost, cost, (graph,), graph in seen))
        seen.add(graph)
    return compiles


@pytest.mark.parametrize(
    "avoided, same_graphs, saved",
    [
        ((3,), (), 75),
        ((3,), ((3, 0),), 1299),  # compile 0 fills the cache, so compile 2 finds its graph there
        ((2,), (), 75),  # compile 3 has to compile it
        ((2, 3), ((3, 0),), 1374),
        ((1,), ((1, 0),), 1121),
    ],
)
def test_other_compiles_find_their_graph_in_the_cache_of_inductor(avoided, same_graphs, saved):
    compiles = _cached((1318, "static"), (1121, "other"), (1299, "dynamic"), (75, "dynamic"))
    assert Saving((X0,), avoided, same_graphs).saved_us(compiles) == saved


def test_an_entry_has_the_graph_of_a_call_that_fits_it_and_that_the_fix_leaves_as_it_is(run):
    run.call(size=[4, 4], flag=False)
    run.call(size=[8, 4], dynamic=[0], flag=True)
    run.call(size=[6, 4], dynamic=[0], flag=False)
    run.call(size=[6, 4], dynamic=[0], flag=None)
    run.compiles = [replace(one, graphs=(one.compile,)) for one in run.compiles]
    history = CodeHistory(run.compiles, run.guards)
    found = {saving.fixes: (saving.avoided, saving.same_graphs) for saving in WhatIf(history).savings()}
    assert found[X0,] == ((2,), ((2, 0),))
    assert found[FLAG,] == (
        (2, 3),
        ((2, 1),),
    )  # with flag=False the first recompile has the graph of the second


def test_a_compile_that_a_fix_changes_finds_its_graph_in_the_cache():
    compiles = [*_cached((900, "one"), (1000, "other"), (70, "one"))]
    assert Saving((FLAG,), (2,), ((2, 1),)).saved_us(compiles) == 70 + 1000 - 70


def test_what_only_the_first_dynamic_compile_does_is_not_saved(built, root):
    """In the fixture `recompiles`, 0/1 is the first compile with symbols."""
    (log,) = built(root / "fixtures/recompiles/trace").logs
    times = {row["compile"]: row["total_us"] for row in log.table("compiles")}
    fixes = [row for row in log.table("recompile_fixes") if row["avoided"] == ["0/1"]]
    (saved,) = (row["saved_us"] for row in fixes if row["fix"] == "mark_dynamic")
    assert 0 < saved < times["0/1"]


@pytest.mark.parametrize(
    ("fixes", "is_known"),
    [((X0,), True), ((X0, FLAG), True), ((X0, X1), False), ((DYNAMIC,), False), ((FLAG, DYNAMIC), False)],
)
def test_the_time_of_code_with_several_symbols_is_not_known(fixes, is_known):
    compiles = [Compiled(f"0/{number}", {}, None, 500, 500) for number in range(4)]
    assert (Saving(fixes, (2, 3)).saved_us(compiles) is not None) == is_known


@pytest.mark.parametrize(
    ("fixes", "avoided", "undecided", "is_minimum"),
    [
        ((X0,), (1, 2), (), False),
        ((X0,), (1,), (2,), True),  # the log does not decide one
        ((FLAG,), (1,), (), True),  # a flag also decides which path the code takes
        ((X0, FLAG), (1,), (), True),
        ((FLAG,), (1, 2, 3), (), False),  # one compile is left
    ],
)
def test_a_fix_avoids_what_the_log_shows_or_more(fixes, avoided, undecided, is_minimum):
    assert Saving(fixes, avoided, undecided=undecided).is_minimum(compile_count=4) == is_minimum


def test_a_compile_that_a_fix_makes_dynamic_takes_longer():
    """As much as the other dynamic recompiles of the function take longer than its static ones, and at least a
    fifth.
    """
    places = frozenset((("L['x']", 0),))
    costs = ((900, places), (400, places), (520, frozenset()), (500, frozenset()), (410, places))
    compiles = [
        Compiled(f"0/{number}", {}, None, cost, cost, static=static, is_dynamic=not static)
        for number, (cost, static) in enumerate(costs)
    ]
    assert Saving((X0,), (2, 3)).saved_us(compiles) == 520 + 500 - 3 * 100
    assert Saving((FLAG,), (2, 3)).saved_us(compiles) == 520 + 500
    without_static = [compiles[0], *compiles[2:4]]
    assert Saving((X0,), (1, 2)).saved_us(without_static) == 520 + 500 - 500 // 5


@pytest.mark.parametrize(
    ("first", "second", "avoided"),
    [
        ({}, {}, (1,)),
        ({"L['x']": VIEW}, {"L['x']": VIEW}, (1,)),
        ({"L['x']": VIEW}, {}, ()),  # a view in one call only
        ({"L['x']": AS_LONG}, {"L['x']": VIEW}, ()),  # as long as its base in one call only
        ({"L['x']": AS_LONG}, {"L['x']": AS_LONG}, ()),  # calls in between can differ
        ({"L['y']": AS_LONG}, {}, (1,)),
    ],
)
def test_code_with_dynamic_sizes_has_guards_on_the_base_of_a_view(run, first, second, avoided):
    run.call(size=(4, 3))
    run.call(size=(5, 3), dynamic=(0,))
    run.compiles = [
        replace(one, views=views) for one, views in zip(run.compiles, (first, second), strict=True)
    ]
    history = CodeHistory(run.compiles, run.guards)
    found = {saving.fixes: saving.avoided for saving in WhatIf(history).savings()}
    assert found[X0,] == avoided


def test_views_of_a_call_have_the_sizes_that_are_those_of_the_base():
    base = {
        "describer_id": 0,
        "tensor_id": 1,
        "shape": [8, 3],
        "other": None,
        "is_view": False,
        "sources": [],
    }
    view = base | {
        "tensor_id": 0,
        "shape": [5, 3],
        "other": {"base": 1},
        "is_view": True,
        "sources": ["L['x']"],
    }
    other = base | {"tensor_id": 2, "sources": ["L['y']"]}
    assert views_of([base, view, other]) == {"L['x']": View(frozenset(((1, 1),)), (8, 3))}
    assert views_of([view]) == {"L['x']": View(frozenset(), ())}  # the log lacks the base
