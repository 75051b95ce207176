"""Runs with fixes, where the entry that is left or the path that calls take is not the same."""

from dataclasses import replace

import pytest
from compiled_run import DYNAMIC, FLAG, UNBACKED, X0, Run
from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.failing import Difference, failing
from tlparse_bundle.guards.fixed_run import FixedRun
from tlparse_bundle.guards.fixes import Fix, covers
from tlparse_bundle.guards.inputs import Input
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.values import Tensor, is_contiguous

LAYOUT = Fix("same_layout", "L['x']")
MASK = Fix("same_type", "L['mask']")
NO_MASK = Predicate("NONE_MATCH", "L['mask']", "L['mask'] is None")
HAS_MASK = Predicate(
    "TENSOR_MATCH",
    "L['mask']",
    "check_tensor(L['mask'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=False, size=[], stride=[])",
)


@pytest.fixture
def run():
    return Run()


MODE, OTHER_MODE = (Predicate("GLOBAL_STATE", "", f"___check_global_state() against {n}") for n in (0, 1))


def _narrow(run, mode=MODE):
    """With a dynamic dimension 0, call 2 fits entry 0, which fixes dimension 1; the entry of call 2 does not.
    ``mode``: that of call 1, which alone has a different size in dimension 1.
    """
    run.call(size=(2, 4), how="sum", guards=[MODE])
    run.call(size=(4, 2), how="max", guards=[mode], dynamic=(0, 1))
    run.call(size=(4, 4), how="sum", guards=[MODE], dynamic=(0, 1))
    run.call(size=(4, 4), how="min", guards=[MODE], dynamic=(0, 1))
    run.call(size=(4, 4), how="mean", guards=[MODE], dynamic=(0, 1))
    run.call(size=(4, 4), how="prod", guards=[MODE], dynamic=(0, 1))


NO_HITS = {1: [0], 2: [1, 0], 3: [2, 1, 0], 4: [3, 2, 1, 0], 5: [4, 3, 2, 1, 0]}


def test_calls_that_hit_an_avoided_entry_may_not_fit_a_narrower_one(run):
    """torch moves an entry that is hit to the front."""
    _narrow(run)
    saving = run.all_savings(tried={**NO_HITS, 4: [2, 3, 1, 0], 5: [4, 2, 3, 1, 0]})[X0,]
    assert saving.avoided == () and saving.undecided == ()


def test_where_sizes_vary_in_another_mode_only_such_calls_may_fit_it(run):
    _narrow(run, OTHER_MODE)
    saving = run.all_savings(tried={**NO_HITS, 4: [2, 3, 1, 0], 5: [4, 2, 3, 1, 0]})[X0,]
    assert saving.avoided == () and saving.undecided == (2,)


def test_without_such_calls_the_narrower_entry_does(run):
    _narrow(run)
    saving = run.all_savings(tried=NO_HITS)[X0,]
    assert saving.avoided == (2,) and saving.undecided == ()


@pytest.mark.parametrize("tried", [{}, {1: [0], 2: [1, 0], 3: [2, 1, 0]}, {**NO_HITS, 4: [3], 5: [4]}])
def test_without_an_order_of_entries_it_is_not_known_whether_calls_hit_one(run, tried):
    _narrow(run)
    saving = run.all_savings(tried=tried)[X0,]
    assert saving.avoided == () and saving.undecided != ()


def test_a_number_that_an_entry_fixes_is_narrower_too(run):
    kind = Predicate("TYPE_MATCH", "L['n']", "___check_type_id(L['n'], 1)", None, "int")
    run.call(size=(4, 3), n=2)
    run.call(size=(6, 3), dynamic=(0,), n=5)
    run.call(size=(6, 3), guards=[kind], conditions=("L['n'] == 2",), dynamic=(0,))
    run.compiles[2].input.values["L['n']"] = 2
    assert run.all_savings()[X0,].undecided
    assert not run.all_savings()[DYNAMIC,].undecided


@pytest.mark.parametrize(
    "size, stride, is_kept",
    [
        ((2, 4), (4, 1), True),
        ((2, 4), (1, 2), False),
        ((1, 4), (1, 1), True),
        ((4, 1), (1, 4), True),
        ((0, 4), (1, 9), True),
        ((), (), True),
    ],
)
def test_what_contiguous_leaves_as_it_is(size, stride, is_kept):
    assert is_contiguous(Tensor(size, stride)) is is_kept


def test_the_stride_of_a_dimension_of_size_1_stays_with_one_layout(run):
    """``.contiguous()`` returns such a tensor as it is."""
    run.call(size=(1, 4), flag=True)
    run.call(size=(1, 4), stride=(1, 1), flag=True)
    run.call(size=(2, 4), flag=True)
    run.call(size=(2, 4), stride=(1, 2), flag=True)
    assert run.savings()[LAYOUT,] == (3,)


def test_a_copy_has_no_base(run):
    base = Predicate("LAMBDA_GUARD", None, "2 <= L['x']._base.size()[0]")
    run.call(size=(2, 4), stride=(1, 2), guards=[base])
    run.call(size=(2, 4))
    assert run.savings()[LAYOUT,] == (1,)


def test_one_value_of_a_flag_leaves_out_what_its_path_does_not_read(run):
    run.call(size=(4, 3), flag=False)
    run.call(size=(6, 3), dynamic=(0,), flag=True, scale=2)
    run.call(size=(6, 3), dynamic=(0,), flag=False)
    run.call(size=(6, 3), dynamic=(0,), flag=True, scale=3)
    saving = run.all_savings()[FLAG,]
    assert saving.avoided == (2, 3) and saving.undecided == ()


def test_what_the_path_of_a_flag_reads_may_not_be_known(run):
    """The log does not have `scale` of call 1, nor whether call 2 and call 3 have the same."""
    run.call(size=(4, 3), flag=True, scale=2)
    run.call(size=(6, 3), dynamic=(0,), flag=False)
    run.call(size=(6, 3), dynamic=(0,), flag=True, scale=2)
    saving = run.all_savings()[FLAG,]
    assert saving.avoided == () and saving.undecided != ()


def test_two_calls_that_a_flag_sends_on_a_path_may_read_different_values_there(run):
    run.call(size=(4, 3), flag=True, scale=2, n=1)
    run.call(size=(6, 3), dynamic=(0,), flag=False, n=1)
    run.call(size=(6, 3), dynamic=(0,), flag=False, n=2)
    history = CodeHistory(run.compiles, run.guards)
    assert FixedRun(history, (DYNAMIC,)).replay() == ({2: 1}, [])
    assert FixedRun(history, (DYNAMIC, FLAG)).replay() == ({}, [1, 2])


def test_a_call_without_a_key_does_not_have_one_value_of_its_item():
    guard = Predicate("TRUE_MATCH", "L['o']['relu']", "L['o']['relu'] == True")
    absent = Input({"___dict_contains('relu', L['o'])": False})
    assert failing(guard, absent) == (Difference("absent", "L['o']['relu']"),)
    assert failing(guard, Input({"___dict_contains('relu', L['o'])": True})) is None


def test_a_call_without_a_key_is_not_avoided_by_one_value(run):
    relu = Predicate("TRUE_MATCH", "L['o']['relu']", "L['o']['relu'] == True")
    none = Predicate("DICT_CONTAINS", "L['o']", "not ___dict_contains('relu', L['o'])")
    run.call(size=(4, 3), guards=[Predicate("FALSE_MATCH", "L['o']['relu']", "L['o']['relu'] == False")])
    run.call(size=(4, 3), guards=[relu])
    run.call(size=(4, 3), guards=[none])
    assert run.savings()[Fix("few_values", "L['o']['relu']"),] == (1,)


def test_calls_without_a_value_pass_one_of_its_type(run):
    for number, guard in enumerate((HAS_MASK, NO_MASK, HAS_MASK)):
        run.call(size=(4, 3), how="mean" if number == 0 else "sum", guards=[guard])
        if guard is HAS_MASK:
            run.compiles[-1].input.values["L['mask']"] = Tensor((), (), "torch.float32", "cpu", False)
    assert run.savings()[MASK,] == (2,)


@pytest.mark.parametrize(("dtype", "avoided"), [("torch.int64", (1, 2)), ("torch.float64", (1,))])
def test_integers_have_no_gradients(run, dtype, avoided):
    run.call(size=(4, 3), dtype=dtype)
    run.call(size=(4, 3))
    run.call(size=(4, 3), grad=True)
    assert run.savings()[Fix("same_dtype", "L['x']"),] == avoided


def test_one_value_has_one_type():
    value = Fix("few_values", "L['mask']")
    assert covers(value, MASK) and not covers(MASK, value)
    assert not covers(value, Fix("same_type", "L['other']"))


def test_values_that_calls_pass_in_place_of_none_may_differ(run):
    run.call(size=(4, 3), guards=[Predicate("NONE_MATCH", "L['limit']", "L['limit'] is None")])
    run.call(size=(4, 3), limit=0.5)
    history = CodeHistory(run.compiles, run.guards)
    assert FixedRun(history, (Fix("same_type", "L['limit']"),)).replay() == ({}, [1])


def test_equal_sizes_of_an_own_entry_vary_together_with_dynamic_true(run):
    own = "L['x'].size()[0] == L['x'].size()[1]"
    run.call(size=(4, 4), n=5)
    run.call(size=(7, 7), dynamic=(0, 1), conditions=(own,), n=5)
    assert run.savings()[DYNAMIC,] == (1,)
    other = Run()
    other.call(size=(4, 4), n=5)
    other.call(size=(7, 7), dynamic=(0, 1), n=5)
    assert other.savings()[DYNAMIC,] == ()


@pytest.mark.parametrize(
    ("first", "is_leaf", "avoided", "undecided"),
    [("0", False, (1,), ()), ("1", False, (), (1,)), ("0", True, (), ()), ("1", True, (), ())],
)
def test_one_grad_mode_is_one_requires_grad_of_what_autograd_computes(
    run, first, is_leaf, avoided, undecided
):
    """Whether a parameter requires gradients does not depend on the mode, and in grad mode, a tensor can be one
    that has none.
    """
    for one in dict.fromkeys((first, "0", "1")):
        state = Predicate("GLOBAL_STATE", "", f'___check_global_state() against {{"grad_mode":{one}}}')
        run.call(size=(4, 3), grad=one == "1", is_leaf=is_leaf, guards=[state])
    saving = run.all_savings()[Fix("same_global_state"),]
    assert saving.avoided == avoided and saving.undecided == undecided


def test_code_for_an_unbacked_size_has_guards_on_its_stride(run):
    """A row of a larger tensor has another stride where its size is 1, which no guard on a constant size checks."""
    run.call(size=(1, 4), flag=True)
    run.call(size=(5, 4), flag=True)
    assert run.all_savings()[UNBACKED,].avoided == (1,)
    run.call(size=(1, 4), stride=(8, 1), flag=True)
    saving = run.all_savings()[UNBACKED,]
    assert saving.avoided == () and saving.undecided == (1, 2)


@pytest.mark.parametrize(("conditions", "undecided"), [((), ()), (("L['p'] > 0.0",), (1,))])
def test_torch_can_make_a_float_constant_that_decides_the_path(run, conditions, undecided):
    for p in (0.5, 0.7):
        run.call(size=(4, 3), p=p, conditions=conditions)
    saving = run.all_savings()[DYNAMIC,]
    assert saving.undecided == undecided and saving.avoided == (() if undecided else (1,))


@pytest.mark.parametrize(("key", "undecided"), [("b", ()), ("c", (1,))])
def test_what_a_call_passes_with_other_keys_is_not_known(run, key, undecided):
    for number, name in ((2, "b"), (3, key)):
        length = Predicate("DICT_LENGTH", "L['d']", f"len(L['d']) == {number}")
        keys = "list(dict.keys(L['d']))[1]"
        run.call(size=(4, 3), guards=[length, Predicate("EQUALS_MATCH", keys, f"{keys} == '{name}'")])
    saving = run.all_savings()[Fix("same_structure", "L['d']"),]
    assert saving.undecided == undecided and saving.avoided == (() if undecided else (1,))


def test_a_tensor_in_place_of_none_may_be_dynamic_when_its_size_varies(run):
    for size in (None, 4, 7):
        text = f"check_tensor(L['mask'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=False, size=[{size}], stride=[1])"
        mask = Predicate("TENSOR_MATCH", "L['mask']", text)
        run.call(size=(4, 3), guards=[NO_MASK if size is None else mask])
        if size is not None:
            run.compiles[-1].input.values["L['mask']"] = Tensor((size,), (1,), "torch.float32", "cpu", False)
    history = CodeHistory(run.compiles, run.guards)
    assert FixedRun(history, (MASK,)).replay() == ({1: 0}, [2])


def test_functions_compiled_with_other_arguments_may_share_entries_when_all_are_dynamic(run):
    run.call(size=(4, 3), how="sum")
    run.call(size=(4, 3), how="sum")
    run.call(size=(5, 3), how="max")
    assert run.all_savings(other_backends=frozenset({(1, 0)}))[DYNAMIC,].undecided == (1, 2)
    assert run.all_savings()[DYNAMIC,].undecided == ()


@pytest.mark.parametrize(("is_symbol", "undecided"), [(True, (1,)), (False, ())])
def test_an_integer_of_an_object_that_is_no_module_is_dynamic_with_dynamic_true(run, is_symbol, undecided):
    source = "L['self'].seen"
    for seen in (0, 1):
        own = [] if seen and is_symbol else [Predicate("EQUALS_MATCH", source, f"{source} == {seen}")]
        run.call(size=(4 + seen, 3), guards=own)
        run.compiles[-1].input.values[source] = seen
    saving = run.all_savings()[DYNAMIC,]
    assert saving.avoided == () and saving.undecided == undecided


def test_a_condition_of_the_entry_can_have_a_number_that_varies_as_a_constant(run):
    """The first size of a list is 3 in the entry, which is in a condition on the sum of all."""
    run.call(size=(7, 3), first=3, conditions=("L['x'].size()[0] == 3 + L['second']",))
    run.compiles[0].input.values["L['second']"] = 4
    run.call(size=(9, 3), dynamic=(0,), conditions=("L['x'].size()[0] == L['first'] + L['second']",))
    run.compiles[1].input.values |= {"L['first']": 5, "L['second']": 4}
    saving = run.all_savings()[DYNAMIC,]
    assert saving.avoided == () and saving.undecided == (1,)


def test_a_break_that_a_symbol_causes_is_no_other_path(run):
    """The entry that the call compiled has the number as a symbol, and all conditions on it hold."""
    for number, conditions in ((3, ()), (5, ("L['k'] <= 8",))):
        own = [Predicate("EQUALS_MATCH", "L['k']", "L['k'] == 3")] if number == 3 else []
        run.call(size=(4, 3), guards=own, conditions=conditions)
        run.compiles[-1].input.values["L['k']"] = number
    run.compiles[1] = replace(run.compiles[1], graph_breaks=frozenset((7,)))
    assert run.savings()[DYNAMIC,] == (1,)


def test_a_dict_can_be_empty_for_an_entry_without_guards_on_it(run):
    """torch checks that it is empty, which is not among the guards of a log."""
    first = Predicate("EQUALS_MATCH", "list(dict.keys(L['d']))[0]", "list(dict.keys(L['d']))[0] == 3")
    run.call(size=(4, 3), scale=1.5)
    run.call(size=(4, 3), scale=2.5, guards=[first])
    history = CodeHistory(run.compiles, run.guards)
    assert [one.source for one in history.differences(1, 0) or () if one.aspect == "unknown"] == ["L['d']"]
    saving = run.all_savings()[Fix("dynamic_true"),]
    assert saving.avoided == () and saving.undecided == (1,)
