"""Expressions in guards have the value that torch computes; what cannot be known is missing."""

import pytest
from tlparse_bundle.guards.expressions import Missing, NotSupported, compiled, normalised, parsed, plain
from tlparse_bundle.guards.replay import inputs
from tlparse_bundle.guards.values import Tensor, from_json, parse_call


def value(text, call="a=1"):
    return compiled(text)(inputs(parse_call(call)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mod(7, 3)", 1),
        ("Mod(-7, 3)", -1),
        ("Mod(7, -3)", 1),
        ("Mod(-7, -3)", -1),
        ("Mod(0, 3)", 0),
        ("Mod(0, -3)", 0),
        ("PythonMod(-7, 3)", 2),
        ("FloorDiv(-7, 2)", -4),
        ("CleanDiv(8, 2)", 4),
        ("IntTrueDiv(7, 2)", 3.5),
        ("PowByNatural(3, 4)", 81),
        ("PowByNatural(2.5, 2)", 6.25),
        ("PowByNatural(2.5, 1000)", Missing("an operation on values of these types")),
        ("PowByNatural(2, -1)", 0.5),
        ("PowByNatural(2, 100)", 1 << 100),
        ("math.floor(2.5)", 2),
        ("math.floor(-2.5)", -3),
        ("math.ceil(2.5)", 3),
        ("math.ceil(-2.5)", -2),
        ("math.ceil(2)", 2),
        ("Max(2, 5) - Min(2, 5)", 3),
        ("torch.sym_not(False)", True),
        ("2 * 3 + 10 // 4 - 7 % 4 - 1 / 2", 4.5),
        ("6 & 3 | 8", 10),
        ("-(+3)", -3),
        ("not 0", True),
        ("~True", -2),
        ("(1, 2) == (1, 2)", True),
        ("[1, 2] != [1, 2]", False),
        ("1 < 2 <= 2 < 3", True),
        ("1 < 2 < 2", False),
        ("2 >= 2 > 2", False),
        ("3 in (1, 2)", False),
        ("3 not in (1, 2)", True),
        ("None is None", True),
        ("True is not False", True),
        ("1 is 1", Missing("an operation on values of these types")),
        ("'a' * 3", Missing("an operation on values of these types")),
        ("3 * 'a'", Missing("an operation on values of these types")),
        ("1 / 0", Missing("an operation on values of these types")),
        ("1 and 2", 2),
        ("0 and a", 0),
        ("0 or 2", 2),
        ("unknown and 0", 0),
        ("unknown and 1", Missing("unknown")),
        ("unknown or other", Missing("unknown")),
        ("unknown or 1", 1),
        ("1 < unknown < 3", Missing("unknown")),
    ],
)
def test_values(text, expected):
    found = value(text)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "call", "expected"),
    [
        ("L['x'].size()", "x=f32[2, 3]", (2, 3)),
        ("L['x'].shape[1]", "x=f32[2, 3]", 3),
        ("L['x'].stride()[0]", "x=f32[2, 3]", 3),
        ("L['x'].ndim + L['x'].dim()", "x=f32[2, 3]", 4),
        ("L['x'].requires_grad", "x=f32[2, 3] requires_grad", True),
        ("L['x'].dtype == torch.float32", "x=f32[2]", True),
        ("L['x'].size()[5]", "x=f32[2]", Missing("L['x'].size()[5]", is_absent=True)),
        ("L['x'].size()[-1]", "x=f32[2, 3]", 3),
        ("L['x'].size()", "x=3", Missing("L['x'].size()")),
        ("L['n'].item()", "n=3", 3),
        ("L['xs'][1]", "xs=[4, 5]", 5),
        ("L['xs'][2]", "xs=[4, 5]", Missing("L['xs'][2]", is_absent=True)),
        ("L['xs'][2][0]", "xs=[4, 5]", Missing("L['xs'][2]", is_absent=True)),
        ("L['n'][0]", "n=3", Missing("L['n'][0]")),
        ("len(L['xs'])", "xs=[4, 5]", 2),
        ("len(L['d']) + L['d']['b']", "d={'a': 1, 'b': 2}", 4),
        ("len(L['r'])", "r='range(0, 10, 3)'", 4),
        ("L['r'].start + L['r'].stop + L['r'].step", "r='range(1, 10, 3)'", 14),
        ("L['r'].stop", "r='slice(None, 5, None)'", 5),
        ("L['r'].other", "r='slice(None, 5, None)'", Missing("L['r'].other")),
        ("len(L['r'])", "r='range(1, 2, 0)'", Missing("an operation on values of these types")),
        ("len(L['r'])", "r='Thing(1)'", Missing("an operation on values of these types")),
        ("len(L['r'])", "r='a text'", 6),
    ],
)
def test_parts_of_a_call(text, call, expected):
    found = value(text, call)
    assert found == expected and type(found) is type(expected)


def test_keys_of_dicts_in_json_may_be_numbers():
    known = inputs(from_json({"d": {"1": "one", "-2": "two", "a": "three"}}))
    assert compiled("dict.keys(L['d'])")(known) == [1, -2, "a"]
    assert compiled("L['d'][1]")(known) == "one" and compiled("L['d']['a']")(known) == "three"
    assert compiled("___dict_contains(1, L['d'])")(known) is True
    assert compiled("___dict_contains(3, L['d'])")(known) is False
    assert compiled("L['d'].a")(known) == "three" and compiled("L['d'].b")(known) == Missing("L['d'].b")


def test_results_beyond_256_bits_are_not_computed():
    assert value("PowByNatural(2, 256)") == Missing("an operation on values of these types")
    assert value(f"{1 << 255} + {1 << 255}") == 1 << 256
    assert value(f"{1 << 255} + {1 << 255} + 1") == Missing("a number that is too large")


@pytest.mark.parametrize("text", ["{1: 2}", "lambda: 0", "1 @ 2", "a b", "(yield)", "1 +", "f'{a}'"])
def test_other_expressions_are_not_supported(text):
    with pytest.raises(NotSupported):
        compiled(text)


def test_a_long_expression_is_not_parsed():
    assert parsed("1" + " " * 19_999)
    with pytest.raises(NotSupported, match="too long"):
        parsed("1" + " " * 20_000)


def test_sources_have_one_spelling():
    assert normalised('L["x"] [0 ]') == "L['x'][0]"
    assert normalised(" not python [ ") == "not python ["
    assert plain("L['self']._modules['layer']._parameters['weight']") == "L['self'].layer.weight"


def test_the_number_of_a_tensor_made_of_a_float_is_the_float():
    """torch describes that tensor, without its value."""
    condition = compiled("L['f'] == ___as_tensor(L['f']).item()")
    tensor = Tensor((), (), "torch.float64", "cpu", False)
    assert condition({"L['f']": 0.405, "___as_tensor(L['f'])": tensor}) is True
    assert isinstance(compiled("L['t'].item() == 1.0")({"L['t']": tensor}), Missing)
