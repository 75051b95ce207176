"""The cache entry that came nearest to fit a call: ``is_nearest`` of the table 'guard_failures'."""

from collections import Counter

import pytest
from compiled_run import Run
from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.nearest import nearest_entry
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.values import Tensor


@pytest.fixture
def failures(built, root):
    def read(name):
        (log,) = built(root / f"fixtures/versions/2.13.0/{name}.log.zst").logs
        return log.table("guard_failures")

    return read


@pytest.mark.parametrize(
    ("program", "compile", "entry"),
    [
        ("second_reasons", "0/1", "0/0"),  # the only one
        ("second_reasons", "0/2", "0/0"),  # another size, where the newest one has another rank
        ("second_reasons", "23/2", "23/0"),  # one value, where the newest one differs in sizes, too
        ("nearest", "6/2", "6/0"),
        ("nearest", "6/1", "6/0"),
    ],
)
def test_it_fails_in_the_fewest_things(failures, program, compile, entry):
    nearest = [row["entry"] for row in failures(program) if row["compile"] == compile and row["is_nearest"]]
    assert nearest == [entry]


@pytest.mark.parametrize("program", ["second_reasons", "nearest", "arguments", "functions"])
def test_a_call_has_one_where_its_input_is_known(failures, program):
    rows = failures(program)
    count = Counter(row["compile"] for row in rows if row["is_nearest"])
    assert set(count.values()) == {1}
    described = [
        row for row in rows if row["is_input_known"] or row["not_evaluated"]
    ]  # in part: failed compiles
    assert all(row in described for row in rows if row["is_nearest"])
    assert count.keys() == {row["compile"] for row in described}


def test_of_several_it_is_the_one_that_torch_tried_first(failures):
    """Three sizes with `dynamic=False`: each entry fails on the size only."""
    rows = [row for row in failures("second_reasons") if row["compile"] == "3/2"]
    assert [(row["entry"], row["is_nearest"]) for row in rows] == [("3/1", True), ("3/0", False)]


def test_it_has_the_path_of_the_call_before_it_has_its_sizes(failures):
    """The newest entry is for another path, with all sizes dynamic; the one for the path has constant sizes."""
    rows = [row for row in failures("second_reasons") if row["compile"] == "20/3"]
    assert [row["entry"] for row in rows if row["is_nearest"]] == ["20/1"]


def _function(id):
    text = f"___check_obj_id(L['func'].__code__, {id}), type=<class 'code'>"
    return Predicate("ID_MATCH", "L['func'].__code__", text)


def _nearest(run, call):
    return nearest_entry(CodeHistory(run.compiles, run.guards), call, [*range(call)][::-1], {})


def test_an_entry_for_another_function_of_a_wrapper_is_not_near():
    """torch has one cache for a wrapper of a library, whatever it calls."""
    run = Run()
    run.call(guards=[_function(1)], size=(4, 3), mode="a", how="b")
    run.call(guards=[_function(2)], size=(6, 3))
    run.call(guards=[_function(1)], size=(6, 3), mode="c", how="d")
    assert _nearest(run, 2) == 0
    run.call(guards=[_function(3)], size=(6, 3))
    assert _nearest(run, 3) == 1  # of other functions, the usual one


def test_many_parameters_that_differ_in_the_same_are_one_difference():
    """The program freezes the module; `mode` and `how` are two changes."""
    run = Run()
    run.call(parameters=(False, False, False), mode="a", how="b")
    run.call(parameters=(True, True, True), mode="c", how="d")
    run.call(parameters=(True, True, True), mode="a", how="b")
    assert _nearest(run, 2) == 0


def test_modules_that_train_are_one_difference():
    """After `model.eval()`, each module of a deep one has another flag."""

    def flags(count, value):
        sources = (f"L['self']._modules['{number}'].training" for number in range(count))
        return [Predicate("CONSTANT_MATCH", source, f"{source} == {value}") for source in sources]

    run = Run()
    run.call(guards=flags(2, True), active=1)
    run.call(guards=flags(5, True), active=2)
    run.call(guards=flags(5, False), active=2)
    assert _nearest(run, 2) == 1


def test_an_entry_that_fails_on_one_guard_is_nearer_than_one_that_fails_on_several():
    """A size that two tensors share is one change, but two guards fail on it."""
    run = Run()
    _call_with_y(run, 4, mode="a")
    _call_with_y(run, 6, mode="b")
    _call_with_y(run, 6, mode="a")
    assert _nearest(run, 2) == 1


def test_a_container_in_place_of_an_object_differs_from_those_of_other_entries():
    """The first entry has None, which torch before 2.9 compares by its id; the second one other numbers."""

    def weights(*values):
        items = (("a", values[0]), ("b", values[1]), ("c", values[2]))
        own = [
            Predicate("EQUALS_MATCH", f"L['w']['{key}']", f"L['w']['{key}'] == {value}")
            for key, value in items
        ]
        return [Predicate("DICT_LENGTH", "L['w']", "len(L['w']) == 3"), *own]

    run = Run()
    run.call(guards=[Predicate("ID_MATCH", "L['w']", "___check_obj_id(L['w'], 7)")])
    run.call(guards=weights(1.5, 2.5, 3.5))
    run.call(guards=weights(4.5, 5.5, 6.5))
    assert _nearest(run, 2) == 1


def test_an_entry_for_another_path_is_farther_than_one_for_another_number():
    run = Run()
    run.call(size=(4, 3), conditions=("(L['n'] % 2) != 0",))
    run.call(size=(4, 3), scale=0.9, n=4)
    run.call(size=(4, 3), scale=0.8, n=4)
    assert nearest_entry(CodeHistory(run.compiles, run.guards), 2, [0, 1], {}) == 1


def test_an_entry_for_a_tensor_is_farther_than_one_for_an_array_of_another_dtype():
    """torch says that `x` is not a tensor; then it compares nothing else of it."""
    source = "___from_numpy(L['x'])"

    def array(dtype):
        text = f"check_tensor({source}, Tensor, DispatchKeySet(CPU), {dtype}, device=None, requires_grad=False, size=[4], stride=[1])"
        return Predicate("TENSOR_MATCH", source, text)

    run = Run()
    run.call(size=(4, 3))
    run.call(guards=[array("torch.float64")], mode="a")
    run.call(guards=[array("torch.float32")], mode="a")
    run.compiles[2].input.values[source] = Tensor((4,), (1,), "torch.float32", "cpu", False)
    x = next(id_ for id_, guard in run.guards.items() if guard.source == "L['x']")
    own = next(id_ for id_, guard in run.guards.items() if "float64" in guard.text)
    history = CodeHistory(run.compiles, run.guards, named={(2, 0): x, (2, 1): own})
    assert nearest_entry(history, 2, [0, 1], {}) == 1


def test_an_early_return_that_reads_less_is_not_near():
    """The entry for the call's own `warmup` fails on `explore`, which the other path does not read."""
    run = Run()
    run.call(guards=[_is("warmup", True)])
    run.call(guards=[_is("warmup", False), _is("explore", True)])
    run.call(guards=[_is("warmup", False), _is("explore", False)])
    assert _nearest(run, 2) == 1


def _is(name, value):
    return Predicate("CONSTANT_MATCH", f"L['{name}']", f"L['{name}'] == {value}")


def test_a_size_that_tensors_share_and_conditions_on_one_size_are_one_difference():
    run = Run()
    _call_with_y(run, 4, mode="a", how="d")
    _call_with_y(run, 6, mode="b", how="c")
    _call_with_y(run, 6, mode="a", how="d")
    assert _nearest(run, 2) == 0
    run = Run()
    limits = "16 <= L['x'].size()[1] <= 31", "(L['x'].size()[1] % 2) == 0", "L['x'].size()[1] != 8"
    run.call(size=(4, 16), dynamic=(1,), mode="a", conditions=limits)
    run.call(size=(4, 9), mode="b", how="c")
    run.call(size=(4, 9), mode="a", how="d")
    assert _nearest(run, 2) == 0


def _given(name, size):
    text = f"check_tensor(L['{name}'], Tensor, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=False, size=[{size}], stride=[1])"
    return Predicate("TENSOR_MATCH", f"L['{name}']", text)


def _call_with_y(run, size, **constants):
    """Call with two tensors of the same first size."""
    run.call(size=(size, 8), guards=[_given("y", size)], **constants)
    run.compiles[-1].input.values["L['y']"] = Tensor((size,), (1,), "torch.float32", "cpu", False)


def test_conditions_on_a_tensor_that_a_call_lacks_do_not_count():
    """The entry for a mask fails on that only; the other one on two numbers."""
    run = Run()
    none = Predicate("NONE_MATCH", "L['mask']", "L['mask'] is None")
    run.call(size=(4, 12), guards=[none], rate=3)
    same = "L['mask'].size()[0] == L['x'].size()[1]"
    run.call(size=(4, 7), dynamic=(1,), guards=[_given("mask", "None")], conditions=(same,), rate=1)
    run.compiles[1].input.values["L['mask']"] = Tensor((7,), (1,), "torch.float32", "cpu", False)
    run.call(size=(4, 7), dynamic=(1,), guards=[none], rate=1)
    run.compiles[2].input.values["L['mask']"] = None
    assert _nearest(run, 2) == 1


def test_a_value_in_place_of_none_differs_from_those_of_other_entries():
    """Another entry takes such a value, and fails on its size and the same size of another tensor."""
    run = Run()
    run.call(size=(4, 3), guards=[Predicate("NONE_MATCH", "L['mask']", "L['mask'] is None")], dynamic=(0,))
    run.call(size=(4, 3), guards=[_given("mask", 4)])
    run.compiles[1].input.values["L['mask']"] = Tensor((4,), (1,), "torch.float32", "cpu", False)
    run.call(size=(5, 3), guards=[_given("mask", "None")], dynamic=(0,))
    run.compiles[2].input.values["L['mask']"] = Tensor((5,), (1,), "torch.float32", "cpu", False)
    assert _nearest(run, 2) == 1


def _keys(dict, *keys):
    return [
        Predicate("EQUALS_MATCH", f"list({dict}.keys())[{place}]", f"list({dict}.keys())[{place}] == {key!r}")
        for place, key in enumerate(keys)
    ]


def test_an_entry_for_fewer_keys_may_have_failed():
    """torch 2.6 checks the number of keys without a guard."""
    run = Run()
    run.call(guards=_keys("L['d']", "a"), mode="a")
    run.call(guards=_keys("L['d']", "a", "b"), mode="a")
    run.call(guards=_keys("L['d']", "a", "b"), mode="b")
    assert _nearest(run, 2) == 1
    first_key = next(id_ for id_, guard in run.guards.items() if guard.text.endswith("[0] == 'a'"))
    assert CodeHistory(run.compiles, run.guards).failed(2, 0)[first_key] is None
