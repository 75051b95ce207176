"""Guards that are not comparisons: aliasing, marks, sets, NaN, types of objects, states of torch."""

import math

import pytest
from tlparse_bundle.guards.conditions import ACCESS, accesses, as_set, dict_lengths
from tlparse_bundle.guards.predicates import Predicate, check
from tlparse_bundle.guards.replay import inputs
from tlparse_bundle.guards.values import from_json, parse_call


def tensor(**fields):
    return {"size": [2], "dtype": "torch.float32", "requires_grad": False, **fields}


def holds(kind, text, call, *, type_name=None):
    call = parse_call(call) if isinstance(call, str) else from_json(call)
    return check(Predicate(kind, "L['x']", text, None, type_name), inputs(call)).holds


ALIASING = "check_no_aliasing(L['x'], L['y'])"
SAME = "L['x'] is L['y']"


@pytest.mark.parametrize(
    ("text", "x", "y", "expected"),
    [
        (ALIASING, tensor(object=1), tensor(object=2), True),
        (ALIASING, tensor(object=1), tensor(object=1), False),
        (ALIASING, tensor(), tensor(object=1), None),
        (ALIASING, tensor(), tensor(), None),
        (ALIASING, tensor(), tensor(size=[3]), True),
        (ALIASING, tensor(object=1), 5, True),
        (SAME, tensor(object=1), tensor(object=1), True),
        (SAME, tensor(object=1), tensor(object=2), False),
        (SAME, tensor(), tensor(size=[3]), False),
        (SAME, tensor(), tensor(), None),
        (SAME, tensor(object=1), 5, None),
        (SAME, 5, 5, None),
    ],
)
def test_which_arguments_are_the_same_tensor(text, x, y, expected):
    kind = "NO_TENSOR_ALIASING" if text is ALIASING else "OBJECT_ALIASING"
    assert holds(kind, text, {"x": x, "y": y}) is expected


def test_an_argument_that_is_not_stated_may_be_the_same():
    assert holds("NO_TENSOR_ALIASING", ALIASING, {"x": tensor(object=1)}) is None
    assert holds("OBJECT_ALIASING", SAME, {"x": tensor(object=1)}) is None
    assert holds("NO_TENSOR_ALIASING", "", {}) is True  # written with the first tensor


NO_MARK = "hasattr(L['x'], '_dynamo_dynamic_indices') == False"
MARKS = (
    "((getattr(L['x'], '_dynamo_dynamic_indices', set()).issubset({0, 1})) if hasattr(L['x'],"
    " '_dynamo_dynamic_indices') else True)"
)
OLD_MARKS = (
    "((L['x']._dynamo_static_indices.issubset(set())) if hasattr(L['x'], '_dynamo_static_indices') else True)"
)


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        (NO_MARK, {}, True),
        (NO_MARK, {"static": [0]}, True),
        (NO_MARK, {"dynamic": [0]}, False),
        (NO_MARK, None, None),
        (MARKS, {"dynamic": [1]}, True),
        (MARKS, {"dynamic": [0, 2]}, False),
        (MARKS, {}, True),
        (OLD_MARKS, {"static": []}, True),
        (OLD_MARKS, {"static": [0]}, False),
        (OLD_MARKS, {"dynamic": [0]}, True),
        ("something(_indices)", {}, None),
    ],
)
def test_marks_of_dimensions(text, marks, expected):
    assert holds("DIMENSION_DYNAMIC_MARKING_GUARD", text, {"x": tensor(marks=marks)}) is expected


@pytest.mark.parametrize(
    ("text", "call", "expected"),
    [
        ("not set.__contains__(L['s'], 3)", {"s": "{1, 2}"}, True),
        ("not set.__contains__(L['s'], 2)", {"s": "{1, 2}"}, False),
        ("not set.__contains__(L['s'], 2)", {"s": "frozenset({1, 2})"}, False),
        ("not set.__contains__(L['s'], 2)", {"s": "set()"}, True),
        ("not set.__contains__(L['s'], 2)", {"s": "frozenset()"}, True),
        ("not set.__contains__(L['s'], 2)", {"s": "not a set"}, None),
        ("not set.__contains__(L['s'], 2)", {"s": [1, 2]}, None),
        ("not set.__contains__(L['s'], L['n'])", {"s": "{1, 2}"}, None),
        ("set.__contains__(L['s'], 2)", {"s": "{1, 2}"}, None),  # until torch 2.12 it may mean either
    ],
)
def test_items_of_sets(text, call, expected):
    assert holds("SET_CONTAINS", text, call) is expected


def test_sets_as_python_writes_them():
    assert as_set("{1, 'a'}") == as_set({1, "a"}) == as_set("frozenset({1, 'a'})") == {1, "a"}
    assert as_set("set()") == as_set("frozenset(set())") == as_set("frozenset()") == frozenset()
    assert as_set("[1]") is as_set("{") is as_set(3) is None


@pytest.mark.parametrize(
    ("value", "expected"), [(math.nan, True), (1.5, False), (1, False), ("nan", False), (None, False)]
)
def test_nan(value, expected):
    assert holds("FLOAT_IS_NAN", "__math_isnan(L['f'])", {"f": value}) is expected
    assert holds("FLOAT_IS_NAN", "__math_isnan(L['g'])", {"f": value}) is None


@pytest.mark.parametrize(("value", "expected"), [(math.nan, True), (1.5, False)])
def test_nan_is_equal_to_nan_in_a_guard(value, expected):
    assert holds("EQUALS_MATCH", "L['f'] == float('nan')", {"f": value}) is expected
    assert holds("EQUALS_MATCH", "L['f'] == 1.5", {"f": value}) is not expected


def test_a_manager_without_guards_asks_for_its_item():
    assert holds(ACCESS, "L['d']['a']", {"d": {"a": 1}}) is True
    assert holds(ACCESS, "L['d']['b']", {"d": {"a": 1}}) is False
    assert holds(ACCESS, "L['e']['b']", {"d": {"a": 1}}) is None


STATE = (
    '___check_global_state() against {"grad_mode": true, "num_threads": 4, "default_dtype": 6,'
    ' "deterministic_algorithms": false, "autocast_state": {"enabled": [false, true]}}'
)


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("torch.is_grad_enabled()", True, None),  # other states may differ
        ("torch.is_grad_enabled()", False, False),
        ("torch.get_num_threads()", 5, False),
        ("torch.get_default_dtype()", "torch.float32", None),
        ("torch.get_default_dtype()", "torch.float64", False),
        ("torch.are_deterministic_algorithms_enabled()", True, False),
        ("torch.is_autocast_enabled('cpu')", True, False),
        ("torch.is_autocast_enabled('cpu')", False, None),
        ("torch.is_autocast_enabled('cuda')", False, False),
    ],
)
def test_states_of_torch(source, value, expected):
    assert holds("GLOBAL_STATE", STATE, {source: value}) is expected
    assert holds("GLOBAL_STATE", "___check_global_state()", {source: value}) is None
    assert holds("GLOBAL_STATE", "___check_global_state() against {}", {source: value}) is None


@pytest.mark.parametrize(
    ("value", "type_name", "expected"),
    [
        (3, "int", True),
        (3, "builtins.int", True),
        (3, "float", False),
        ("text", "str", True),
        ("text", "int", False),
        ([1], "int", False),
        ([1], "mod.Things", None),
        ({"a": 1}, "dict", None),
        ({"a": 1}, "mod.Config", None),
        ({"a": 1}, "float", False),
        ("Linear(in_features=1)", "torch.nn.modules.linear.Linear", True),
        ("ReLU()", "torch.nn.modules.linear.Linear", False),
        ("Linear", "torch.nn.modules.linear.Linear", None),
        (tensor(), "torch.Tensor", True),
        (tensor(), "torch.nn.parameter.Parameter", False),
        ({**tensor(), "class": "Parameter"}, "torch.nn.parameter.Parameter", True),
    ],
)
def test_types(value, type_name, expected):
    text = "___check_type_id(L['x'], 94)"
    assert holds("TYPE_MATCH", text, {"x": value}, type_name=type_name) is expected
    assert holds("TYPE_MATCH", text, {"y": value}, type_name=type_name) is None


def test_items_that_a_tree_reads():
    tree = """
    +- GuardManager: source=L['d'], accessed_by=FrameLocalsGuardAccessor(key='d')
    +- GuardManager: source=L['d']["a"], accessed_by=DictGetItemGuardAccessor('a')
    +- GuardManager: source=L['d']['a'][0], accessed_by=ListGetItemGuardAccessor(0)
    +- GuardManager: source=L['d']['a'], accessed_by=DictGetItemGuardAccessor('a')
    +- GuardManager: source=G['m'], accessed_by=DictGetItemGuardAccessor('m')
    """
    assert accesses(tree) == ["L['d']['a']", "L['d']['a'][0]"]


def test_lengths_of_dicts_whose_keys_are_listed():
    def tree(*places, source="L['d']"):
        return "\n".join(
            f"+- EQUALS_MATCH: list(dict.keys({source}))[{place}] == 'k{place}'" for place in places
        )

    assert dict_lengths(tree(0, 1, 2)) == [("L['d']", 3)]
    assert dict_lengths(tree(0, 2)) == []  # a key in between is not checked
    assert dict_lengths(tree(0, source="L['self']")) == []
