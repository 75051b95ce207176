"""How an input differs from what a guard asks for, and the fixes that would make the guard hold."""

import pytest
from tlparse_bundle.guards.failing import Difference, failing, says_value, unknown_difference
from tlparse_bundle.guards.fixes import Fix, covers, fixes_of
from tlparse_bundle.guards.inputs import Input, input_of, is_argument, is_of_module, is_shown, local_name
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.tensor_patterns import other_device, tensor_pattern
from tlparse_bundle.guards.values import Tensor

X = "L['x']"


def guard(kind, text, source=X, type_name=None):
    return Predicate(kind, source, text, None, type_name)


def tensor_guard(
    name="Tensor",
    keys="CPU, AutogradCPU",
    dtype="torch.float32",
    device="None",
    grad="False",
    size="[4, 3]",
    stride="[3, 1]",
):
    return guard(
        "TENSOR_MATCH",
        f"check_tensor(L['x'], {name}, DispatchKeySet({keys}), {dtype}, device={device},"
        f" requires_grad={grad}, size={size}, stride={stride})",
    )


def tensor_input(tensor, own=None):
    patterns = {} if own is None else {X: tensor_pattern(own.text)}
    return Input({X: tensor}, {}, {}, patterns)


FULL = Tensor((4, 3), (3, 1), "torch.float32", "cpu", False)


@pytest.mark.parametrize(
    ("wanted", "aspects"),
    [
        (tensor_guard(), []),
        (tensor_guard(size="[None, 3]"), []),
        (tensor_guard(size="[5, 3]"), [("size", 0, 5, 4)]),
        (tensor_guard(size="[5, 2]"), [("size", 0, 5, 4), ("size", 1, 2, 3)]),
        (tensor_guard(stride="[1, 4]"), [("stride", 0, 1, 3), ("stride", 1, 4, 1)]),
        (tensor_guard(stride="[None, 1]"), []),
        (tensor_guard(size="[4]", stride="[1]"), [("rank", None, 1, 2)]),
        (tensor_guard(dtype="torch.float64"), [("dtype", None, "torch.float64", "torch.float32")]),
        (tensor_guard(grad="True"), [("requires_grad", None, True, False)]),
        (tensor_guard(grad="unknown"), []),
        (tensor_guard(keys="CUDA, AutogradCUDA", device="0"), [("device", None, "cuda:0", "cpu")]),
    ],
)
def test_a_tensor(wanted, aspects):
    found = failing(wanted, tensor_input(FULL))
    assert [(one.aspect, one.dimension, one.expected, one.actual) for one in found] == aspects
    assert all(one.source == X for one in found)


def test_what_is_not_known_of_a_tensor_does_not_differ():
    little = tensor_input(Tensor((4, 3)))
    assert failing(tensor_guard(dtype="torch.float64", grad="True", stride="[1, 4]"), little) == ()


def test_classes_and_dispatch_keys_are_those_of_the_own_guard():
    own = tensor_guard(name="Parameter", keys="CPU, AutocastCPU")
    found = {
        one.aspect: (one.expected, one.actual) for one in failing(tensor_guard(), tensor_input(FULL, own))
    }
    assert found == {
        "class": ("Tensor", "Parameter"),
        "dispatch_keys": ("DispatchKeySet(CPU, AutogradCPU)", "DispatchKeySet(CPU, AutocastCPU)"),
    }
    assert failing(tensor_guard(), tensor_input(FULL, tensor_guard())) == ()
    elsewhere = tensor_guard(keys="CUDA, AutogradCUDA")
    assert failing(tensor_guard(), tensor_input(FULL, elsewhere)) == ()


def test_an_input_that_is_not_a_tensor():
    ((found),) = failing(tensor_guard(), Input({X: 3}))
    assert (found.aspect, found.expected, found.actual) == ("type", "a tensor", "int")
    assert failing(tensor_guard(), Input()) is None
    assert failing(guard("TENSOR_MATCH", "something else"), Input({X: FULL})) is None


@pytest.mark.parametrize(
    ("kind", "text", "values", "expected"),
    [
        ("EQUALS_MATCH", "L['x'] == 3", {X: 3}, ()),
        ("EQUALS_MATCH", "L['x'] == 3", {X: 4}, (Difference("value", X, None, "3", 4),)),
        ("EQUALS_MATCH", "L['x'] == 3", {X: [4]}, (Difference("value", X, None, "3", "[4]"),)),
        ("EQUALS_MATCH", "L['x'] == 3", {}, None),
        ("LENGTH_CHECK", "len(L['x']) == 2", {X: [1]}, "length"),
        ("LENGTH_CHECK", "not L['x']", {"len(L['x'])": 2}, "length"),
        ("LENGTH_CHECK", "not L['x']", {"len(L['x'])": 0}, ()),
        ("LAMBDA_GUARD", "L['x'].size()[0] > 5", {X: FULL}, "shape"),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0]", {X: Tensor((1,))}, (Difference("size", X, 0, None, 1),)),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0]", {X: Tensor((2,))}, ()),
        (
            "LAMBDA_GUARD",
            "L['x'].stride()[0] == 7",
            {X: FULL},
            (Difference("stride", X, 0),),
        ),
    ],
)
def test_other_guards(kind, text, values, expected):
    found = failing(guard(kind, text), Input(values))
    if isinstance(expected, str):
        assert [one.aspect for one in found] == [expected]
    else:
        assert found == expected


def test_a_type():
    wanted = guard("TYPE_MATCH", "___check_type_id(L['x'], 94)", type_name="int")
    ((found),) = failing(wanted, Input({X: 1.5}))
    assert (found.aspect, found.expected, found.actual) == ("type", "type int", 1.5)
    assert failing(wanted, Input({X: 1})) == ()


def test_guards_on_objects_are_compared_by_their_text():
    def object_guard(number, more=""):
        return guard("ID_MATCH", f"___check_obj_id(L['x'], {number}){more}")

    own = input_of([], [], [object_guard(7)])
    assert failing(object_guard(7), own) == ()
    ((found),) = failing(object_guard(8), own)
    assert (found.aspect, found.actual) == ("identity", "___check_obj_id(L['x'], 7)")
    assert failing(object_guard(8), Input()) is None
    typed = object_guard(8, ", type=<class 'a.Layer'>")
    own = Input(types={X: "Other"})
    ((found),) = failing(typed, own)
    assert (found.aspect, found.actual) == ("type", "Other")
    assert failing(typed, Input(types={X: "Layer"})) is None
    ((found),) = failing(typed, Input({X: 3}))
    assert found.actual == "int"


def test_guards_of_which_only_torch_knows_that_they_failed():
    tensor = Input({X: Tensor((4, 3))})
    assert unknown_difference(guard("GLOBAL_STATE", ""), tensor) == Difference("state", X)
    assert unknown_difference(guard("EQUALS_MATCH", "", source=None), tensor) == Difference("other", "")
    assert unknown_difference(tensor_guard(), tensor) == Difference("other", X)
    assert unknown_difference(tensor_guard(), Input()) == Difference("type", X, None, "a tensor")
    assert says_value(guard("EQUALS_MATCH", "L['x'] == 3"))
    assert not says_value(guard("GLOBAL_STATE", "___check_global_state()")) and not says_value(guard("X", ""))


# ---- fixes

A, M = "L['x']", "L['self'].n"


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (Difference("size", A, 0, 4, 5), [Fix("mark_dynamic", A, 0)]),
        (Difference("size", A, 0, 1, 5), [Fix("mark_unbacked", A, 0)]),
        (Difference("size", A, 0, 4, 0), [Fix("mark_unbacked", A, 0)]),
        (Difference("value", A, None, "3", 4), [Fix("dynamic_int", A)]),
        (Difference("value", A, None, "-3", 4), [Fix("dynamic_int", A)]),
        (Difference("value", M, None, "3", 4), [Fix("few_values", M)]),
        (Difference("value", A, None, "'a'", 4), [Fix("few_values", A)]),
        (Difference("value", A, None, "3", True), [Fix("few_values", A)]),
        (Difference("value", A, None, "1.5", 2.5), [Fix("dynamic_float", A), Fix("tensor_argument", A)]),
        (Difference("value", M, None, "1.5e-3", 2.5), [Fix("dynamic_float", M), Fix("few_values", M)]),
        (Difference("value", A, None, "3", 2.5), [Fix("few_values", A)]),
        (Difference("type", A, None, "type int", 2.5), []),
        (Difference("type", A, None, "type int", "str"), [Fix("same_type", A)]),
        (Difference("type", A, None, "type str", 3), [Fix("same_type", A)]),
        (Difference("dispatch_keys", A, None, "S(CPU, AutocastCPU)", "S(CPU)"), [Fix("same_global_state")]),
        (Difference("dispatch_keys", A, None, "S(CPU)", "S(CUDA)"), []),
        (Difference("stride", A, 0), [Fix("same_layout", A)]),
        (Difference("device", A), [Fix("same_device", A)]),
        (Difference("class", A), [Fix("same_type", A)]),
        (Difference("length", A), [Fix("same_structure", A)]),
        (Difference("state", ""), [Fix("same_global_state")]),
        (Difference("rank", A), []),
        (Difference("unknown", A), []),
    ],
)
def test_fixes(difference, expected):
    assert [*fixes_of(difference)] == expected


def test_what_a_fix_does_for_another():
    everything = Fix("dynamic_true")
    assert covers(everything, Fix("mark_dynamic", A, 0)) and covers(everything, Fix("dynamic_float", M))
    assert not covers(everything, Fix("dynamic_int", M)) and not covers(everything, Fix("few_values", A))
    assert covers(Fix("mark_unbacked", A, 0), Fix("mark_dynamic", A, 0))
    assert not covers(Fix("mark_unbacked", A, 0), Fix("mark_dynamic", A, 1))
    assert not covers(Fix("mark_dynamic", A, 0), Fix("mark_unbacked", A, 0))
    assert covers(Fix("few_values", A), Fix("few_values", A)) and not covers(
        Fix("few_values", A), Fix("few_values", M)
    )


# ---- what a log knows of an input


def row(**fields):
    return {
        "shape": [4],
        "stride": [1],
        "dtype": "torch.float32",
        "device": "cpu",
        "requires_grad": False,
        "sources": [X],
        **fields,
    }


def test_sizes_may_be_expressions_of_symbols():
    symbols = [
        {"name": "s0", "value": "8", "source": "L['n']"},
        {"name": "s1", "value": None, "source": "L['m']"},
    ]
    found = input_of([row(shape=["s0", "2*s0 + 1"], stride=["s0", 1])], symbols, [])
    assert found.values == {X: Tensor((8, 17), (8, 1), "torch.float32", "cpu", False), "L['n']": 8}
    assert found.known_from == {X: "describe_tensor", "L['n']": "create_symbol"}
    for unknown in (row(shape=["s1"]), row(shape=["s0 s0"]), row(shape=None), row(dtype=None)):
        assert input_of([unknown], symbols, []).values == {"L['n']": 8}
    assert input_of([row(stride=None)], [], []).values[X].stride is None


def test_guards_state_values():
    texts = [
        ("EQUALS_MATCH", "L['a'] == 'x'"),
        ("LENGTH_CHECK", "len(L['b']) == 2"),
        ("LENGTH_CHECK", "not L['c']"),
        ("DICT_CONTAINS", "___dict_contains('k', L['d'])"),
        ("DICT_CONTAINS", "not ___dict_contains('l', L['d'])"),
        ("LENGTH_CHECK", "len(L['b'"),
    ]
    found = input_of([], [], [Predicate(kind, None, text) for kind, text in texts])
    assert found.values == {
        "L['a']": "x",
        "len(L['b'])": 2,
        "len(L['c'])": 0,
        "___dict_contains('k', L['d'])": True,
        "___dict_contains('l', L['d'])": False,
    }
    assert {*found.known_from.values()} == {"guard"}
    typed = input_of(
        [], [], [guard("TYPE_MATCH", "___check_type_id(L['x'], 1)", type_name="a.b.Layer"), tensor_guard()]
    )
    assert typed.types == {X: "Layer"} and typed.patterns[X].size == [4, 3]


def test_the_first_record_of_a_value_counts():
    found = input_of(
        [row()], [{"name": "s0", "value": "8", "source": X}], [guard("EQUALS_MATCH", "L['x'] == 3")]
    )
    assert found.values[X].size == (4,) and found.known_from[X] == "describe_tensor"


def test_kinds_of_sources():
    assert is_argument("L['x']") and is_argument("___from_numpy(L['x'])")
    assert not is_argument("L['self'].n") and not is_argument("G['x']")
    assert not is_argument("L['model']._modules['a'].weight") and is_of_module("L['model']._parameters['w']")
    assert local_name("L['x'].size()[0] + L[\"y\"]") == "x.size()[0] + y"
    assert (
        is_shown(X, FULL)
        and not is_shown("L['m']._modules['a']", FULL)
        and is_shown("L['m']._modules['a']", 3)
    )
    assert not is_shown("L['x'].size()[0]", 3) and not is_shown("L['x'].storage_offset()", 3)


# ---- patterns of tensors


def test_a_pattern_of_a_tensor():
    found = tensor_pattern(tensor_guard(size="[None, 3]", grad="True").text)
    assert (found.source, found.name, found.dtype, found.device) == (X, "Tensor", "torch.float32", "cpu")
    assert (found.size, found.stride, found.requires_grad) == ([None, 3], [3, 1], True)
    assert str(found) == "f32[None, 3][3, 1]cpu requires_grad"
    assert (
        str(tensor_pattern(tensor_guard(keys="CUDA", device="1", dtype="torch.odd").text))
        == "torch.odd[4, 3][3, 1]cuda:1"
    )
    assert tensor_pattern(tensor_guard(size="[s0, 3]").text) is None and tensor_pattern("other") is None
    assert tensor_pattern(tensor_guard(keys="0x7", device="1").text).device is None


@pytest.mark.parametrize(
    ("actual", "wanted", "expected"),
    [
        ("cpu", "cpu", False),
        ("cuda:0", "cpu", True),
        ("cuda:0", "cuda", False),
        ("cuda", "cuda:1", False),
        ("cuda:0", "cuda:1", True),
        ("cuda:1", "cuda:1", False),
    ],
)
def test_devices(actual, wanted, expected):
    assert other_device(actual, wanted) is expected


def test_a_container_or_an_object_is_not_none():
    """The guards of a call that passes one are on its length, or on its type."""
    none = guard("NONE_MATCH", "L['x'] is None")
    for own in (guard("LENGTH_CHECK", "len(L['x']) == 2"), guard("TYPE_MATCH", "…", type_name="app.Ban")):
        (found,) = failing(none, input_of([], [], [own]))
        assert (found.aspect, found.source, found.expected) == ("value", X, "None")
    assert failing(none, input_of([], [], [guard("TYPE_MATCH", "…", X, "NoneType")])) is None
    assert failing(none, Input()) is None


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (("ID_MATCH", f"___check_obj_id({X}, 7)", X), "an object"),  # None in torch before 2.9
        (("LENGTH_CHECK", f"len({X}) == 2", X), "a container"),
        (("TYPE_MATCH", "…", X, "app.Ban"), "Ban"),
        (("ID_MATCH", "___check_obj_id(L['y'], 7)", "L['y']"), None),
    ],
)
def test_an_object_or_a_container_is_no_tensor(own, other):
    (found,) = failing(tensor_guard(), input_of([], [], [guard(*own)])) or (None,)
    assert found == (other and Difference("type", X, None, "a tensor", other))


def test_a_part_of_a_module_that_is_checked_by_identity_can_be_a_tensor():
    source = "L['self']._parameters['weight']"
    tensor = guard("TENSOR_MATCH", tensor_guard().text.replace(X, source), source)
    own = guard("ID_MATCH", f"___check_obj_id({source}, 7)", source)
    assert failing(tensor, input_of([], [], [own])) is None


def test_a_container_is_not_one_object():
    own = input_of([], [], [guard("DICT_LENGTH", f"len({X}) == 2")])
    (found,) = failing(guard("ID_MATCH", f"___check_obj_id({X}, 7)"), own)
    assert (found.aspect, found.actual) == ("type", "a container")


@pytest.mark.parametrize(
    ("wanted", "differs"),
    [
        (("EQUALS_MATCH", f"{X} == 0.4"), True),
        (("EQUALS_MATCH", f"{X} == 1"), False),  # the object can be True
        (("LENGTH_CHECK", f"len({X}) == 2"), True),
    ],
)
def test_torch_before_2_9_checks_none_by_its_id(wanted, differs):
    own = input_of([], [], [guard("ID_MATCH", f"___check_obj_id({X}, 7)")])
    assert bool(failing(guard(*wanted), own)) == differs


def test_a_python_function_is_not_an_object_that_an_entry_checks_by_its_id():
    own = input_of([], [], [guard("ID_MATCH", f"___check_obj_id({X}.__code__, 8)", f"{X}.__code__")])
    (found,) = failing(guard("ID_MATCH", f"___check_obj_id({X}, 7)"), own)
    assert found.aspect == "identity"


def test_a_number_is_not_one_object():
    own = input_of([], [], [guard("EQUALS_MATCH", f"{X} == 10")])
    (found,) = failing(guard("ID_MATCH", f"___check_obj_id({X}, 7)"), own)
    assert (found.aspect, found.actual) == ("identity", "int")


def test_the_values_of_infinite_numbers_are_known():
    own = guard("EQUALS_MATCH", "L['x'] == inf")
    (found,) = failing(guard("EQUALS_MATCH", "L['x'] == 2.0"), input_of([], [], [own]))
    assert (found.aspect, found.expected, found.actual) == ("value", "2.0", float("inf"))


@pytest.mark.parametrize(
    ("source", "text", "fails"),
    [
        (X, f"___check_obj_id({X}, 1), type=<class 'builtin_function_or_method'>", True),
        (f"{X}.__code__", f"___check_obj_id({X}.__code__, 1)", True),
        (X, f"___check_obj_id({X}, 1), type=<class 'NoneType'>", None),
        (X, f"___check_obj_id({X}, 1)", None),  # torch before 2.9 does not write the type
    ],
)
def test_a_function_is_not_none(source, text, fails):
    """The call's own guard is on the identity of the function or of its code."""
    own = input_of([], [], [guard("ID_MATCH", text, source)])
    found = failing(guard("NONE_MATCH", f"{X} is None"), own)
    assert found == ((Difference("value", X, None, "None", "an object"),) if fails else fails)


def test_a_dict_has_an_item_of_which_the_call_has_the_value():
    lacks_key = guard("DICT_CONTAINS", f"not ___dict_contains('k', {X})")
    item = guard("TYPE_MATCH", f"___check_type_id({X}['k'], 7)", f"{X}['k']", "mod.Batch")
    (found,) = failing(lacks_key, input_of([], [], [item]))
    assert (found.aspect, found.source) == ("length", X)  # or its keys
    assert failing(lacks_key, input_of([], [], [])) is None


def test_an_item_that_torch_did_not_find_is_absent():
    item = guard("EQUALS_MATCH", f"{X}['k'] == 1", f"{X}['k']")
    call = input_of([], [], [])
    assert failing(item, call) is None
    call.add_missing(f"{X}['k']")
    (found,) = failing(item, call)
    assert found.aspect == "absent"


def test_a_container_with_an_item_is_not_empty():
    item = guard("EQUALS_MATCH", f"{X}['k'] == 1", f"{X}['k']")
    (found,) = failing(guard("DICT_LENGTH", f"not {X}"), input_of([], [], [item]))
    assert (found.aspect, found.expected, found.actual) == ("length", "0", None)
