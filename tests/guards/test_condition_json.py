"""Conditions as JSON: what can be expressed, and what stays bounded."""

import json

import pytest
from tlparse_bundle.guards.condition_json import FUNCTIONS, condition_json
from tlparse_bundle.guards.expressions import _FUNCTIONS
from tlparse_bundle.guards.predicates import Predicate

X = ["get", "L['x']"]


def encoded(kind, text, type_name=None):
    found = condition_json(Predicate(kind, "L['x']", text, None, type_name))
    return None if found is None else json.loads(found)


def test_all_functions_of_python_can_be_called():
    assert _FUNCTIONS.keys() == FUNCTIONS


def test_a_tensor():
    text = (
        "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, AutogradCPU), torch.float32,"
        " device=None, requires_grad=False, size=[None, 4], stride=[4, 1])"
    )
    kind, source, wanted = encoded("TENSOR_MATCH", text)
    assert (kind, source) == ("tensor", X)
    assert wanted == {
        "class": "Tensor",
        "dtype": "torch.float32",
        "device": "cpu",
        "requires_grad": False,
        "autocast": False,
        "size": [None, 4],
        "stride": [4, 1],
    }


@pytest.mark.parametrize(
    "kind, text, expected",
    [
        ("EQUALS_MATCH", "L['x'] == 5", ["same", X, 5]),
        ("EQUALS_MATCH", "L['x'] == 5.0", ["same", X, ["float", "5.0"]]),
        ("EQUALS_MATCH", f"L['x'] == {1 << 60}", ["same", X, ["int", str(1 << 60)]]),
        ("EQUALS_MATCH", "L['x'] == -1", ["same", X, ["neg", 1]]),
        ("EQUALS_MATCH", "L['x'] == torch.float32", ["same", X, ["named", "torch.float32"]]),
        ("EQUALS_MATCH", "L['x'] == {1: 2}", ["text", X, "{1: 2}"]),
        ("NONE_MATCH", "L['x'] is None", ["same", X, None]),
        (
            "LENGTH_CHECK",
            "len(L['x']) == 2",
            ["true", ["==", ["get", "len(L['x'])", ["call", "len", X]], 2]],
        ),
        ("LENGTH_CHECK", "not L['x']", ["true", ["not", X]]),
        (
            "DICT_CONTAINS",
            "___dict_contains('a', L['x'])",
            ["true", ["get", "___dict_contains('a', L['x'])", ["call", "___dict_contains", "a", X]]],
        ),
        (
            "LAMBDA_GUARD",
            "2 <= L['x'].size()[0]",
            [
                "true",
                [
                    "<=",
                    2,
                    [
                        "get",
                        "L['x'].size()[0]",
                        ["at", ["get", "L['x'].size()", ["method", X, "size"]], 0],
                    ],
                ],
            ],
        ),
        (
            "EQUALS_MATCH",
            "L['self']._modules['a'].training == True",
            ["same", ["get", "L['self'].a.training", ["attr", ["get", "L['self'].a"], "training"]], True],
        ),
        ("ID_MATCH", "___check_obj_id(L['x'], 123)", None),
        ("NO_TENSOR_ALIASING", "", None),
        ("LAMBDA_GUARD", "L['x'] is L['y']", None),
        ("LAMBDA_GUARD", "L['x'] = 5", None),
    ],
)
def test_expressions(kind, text, expected):
    assert encoded(kind, text) == expected


def test_a_type():
    text = "___check_type_id(L['x'], 94)"
    assert encoded("TYPE_MATCH", text, "torch.Size") == ["type", X, "torch.Size"]
    assert encoded("TYPE_MATCH", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "not " * 500 + "L['x']",
        "L['x']" + ".a" * 1500 + " == 5",
        "(" * 150 + "L['x']" + ")" * 150 + " == 5",
        "len(" * 80 + "L['x']" + ")" * 80 + " == 5",
    ],
)
def test_a_hostile_expression_stays_small(text):
    found = condition_json(Predicate("LAMBDA_GUARD", None, text))
    assert found is None or len(found) < 20_000
