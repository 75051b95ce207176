"""Guards as torch writes them, evaluated for calls."""

import random
import re

import pytest
import traces
from tlparse_bundle.guards.condition_json import condition_json
from tlparse_bundle.guards.predicates import Predicate, check, predicates, stated
from tlparse_bundle.guards.replay import inputs
from tlparse_bundle.guards.values import parse_call

TENSOR = (
    "check_tensor(L['x'], Tensor, DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU), torch.float32,"
    " device=None, requires_grad=False, size=[None, 4], stride=[4, 1])"
)


def tree(kind, text, source="L['x']", type_name="torch.Tensor"):
    return f"""
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source={source}, accessed_by=FrameLocalsGuardAccessor(key='x', framelocals_idx=0), type=<class '{type_name}'>, tag_safe=(False, False)
| | +- {kind}: {text}

Guard latency = 73.36 us
"""


def outcome(kind, text, call, **options):
    (predicate,) = predicates(tree(kind, text, **options))
    return check(predicate, inputs(parse_call(call)))


@pytest.mark.parametrize(
    "call, holds",
    [
        ("x=f32[8, 4]", True),
        ("x=f32[1, 4]", True),  # other guards decide about a dynamic dimension
        ("x=f32[8, 5]", False),
        ("x=f32[8, 4][1, 8]", False),
        ("x=f32[8]", False),
        ("x=f64[8, 4]", False),
        ("x=f32[8, 4]cuda:0", False),
        ("x=f32[8, 4]cpu", True),
        ("x=f32[8, 4] requires_grad", False),
        ("x=3", False),
        ("y=3", None),
    ],
)
def test_a_tensor(call, holds):
    assert outcome("TENSOR_MATCH", TENSOR + "  # z=x*2  # exp.py:7 in f", call).holds is holds


@pytest.mark.parametrize(
    "kind, text, call, holds",
    [
        ("EQUALS_MATCH", "L['n'] == 5", "n=5", True),
        ("EQUALS_MATCH", "L['n'] == 5", "n=5.0", False),  # the type has to be the same
        ("EQUALS_MATCH", "L['n'] == 1", "n=True", False),
        ("EQUALS_MATCH", "L['how'] == \"it's # odd  # here\"", 'how="it\'s # odd  # here"', True),
        ("EQUALS_MATCH", "L['p'] == 2.0", "p=1e999", False),
        ("EQUALS_MATCH", "L['p'] == inf", "p=1e999", True),
        ("EQUALS_MATCH", "L['p'] == -inf", "p=1e999", False),
        ("EQUALS_MATCH", "L['dtype'] == torch.float32", "dtype=torch.float32", True),
        ("EQUALS_MATCH", "L['dtype'] == torch.float32", "dtype=torch.float64", False),
        ("FALSE_MATCH", "L['flag'] == False", "flag=False", True),
        ("NONE_MATCH", "L['mask'] is None", "mask=None", True),
        ("NONE_MATCH", "L['mask'] is None", "mask=f32[2]", False),
        ("LENGTH_CHECK", "len(L['xs']) == 2", "xs=[1, 2]", True),
        ("LENGTH_CHECK", "not L['xs']", "xs=[1, 2]", False),
        ("DICT_CONTAINS", "not ___dict_contains('relu', L['options'])", "options={'relu': 1}", False),
        ("EQUALS_MATCH", "L['options']['relu'] == 1", "options={}", False),  # the item is missing
        ("EQUALS_MATCH", "list(dict.keys(L['o']))[0] == 'a'", "o={'b': 1, 'a': 2}", False),
        ("EQUALS_MATCH", "list(L['o'].keys())[0] == 'a'", "o={'b': 1, 'a': 2}", False),  # until torch 2.6
        ("EQUALS_MATCH", "list(L['o'].keys())[1] == 'a'", "o={'b': 1, 'a': 2}", True),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0]", "x=f32[1]", False),
        ("LAMBDA_GUARD", "2 <= L['x'].size()[0] <= 8", "x=f32[4]", True),
        ("LAMBDA_GUARD", "Eq(Mod(L['x'].size()[0], 4), 0)", "x=f32[6]", False),
        ("LAMBDA_GUARD", "L['x'].stride()[0] == L['x'].size()[1]", "x=f32[4, 3]", True),
        ("LAMBDA_GUARD", "not math.isnan(L['f'])", "f=0.5", True),
        ("LAMBDA_GUARD", "some_function(L['x'])", "x=f32[4]", None),
        ("LAMBDA_GUARD", "L['a'] == 1 or L['b'] == 2", "a=1", True),  # the known part decides
        ("LAMBDA_GUARD", "L['a'] == 1 or L['b'] == 2", "a=3", None),
        ("LAMBDA_GUARD", "9 ** 9 ** 9 ** 9 == L['a']", "a=1", None),
        ("LAMBDA_GUARD", "__import__('os').system('true') == 0", "a=1", None),
        ("NEW_KIND", "of a later torch", "a=1", None),
        ("EQUALS_MATCH", "L['t'] == frozenset({<class 'list'>, <function f at 0x7f>})", "t=1", None),
        ("EQUALS_MATCH", "L['t'] == <class 'list'>", "t=1", None),
        ("SET_CONTAINS", "not set.__contains__(L['s'], <class 'tuple'>)", "s={1, 2}", None),
        ("SET_CONTAINS", "not set.__contains__(L['s'], 3)", "s={1, 2}", True),
    ],
)
def test_a_guard(kind, text, call, holds):
    assert outcome(kind, text, call).holds is holds


def test_a_type():
    text = "___check_type_id(L['x'], 140579122307968), type=<class 'int'>  # x + 1  # exp.py:7 in f"
    assert outcome("TYPE_MATCH", text, "x=1", type_name="int").holds
    assert not outcome("TYPE_MATCH", text, "x=1.0", type_name="int").holds


def test_the_comment_is_kept():
    (predicate,) = predicates(tree("EQUALS_MATCH", "L['x'] == 'a  # b'    # y = x  # exp.py:8 in f"))
    assert (predicate.text, predicate.comment) == ("L['x'] == 'a  # b'", "y = x  # exp.py:8 in f")
    assert (predicate.source, predicate.kind) == ("L['x']", "EQUALS_MATCH")


def test_other_text_has_no_guards():
    assert predicates("not a tree\n| not a guard\n") == []


@pytest.mark.parametrize("size", [2_000, 8_000])
def test_deep_expressions_are_not_evaluated(size):
    assert outcome("LAMBDA_GUARD", "(" * size + "1" + ")" * size, "a=1").holds is None
    assert outcome("LAMBDA_GUARD", "-" * size + "1 == 1", "a=1").holds is None


@pytest.mark.parametrize(
    "text",
    [
        "PowByNatural(L['n'], 10**9) == 0",
        "PowByNatural(10, PowByNatural(10, L['n'])) == 0",
        "len('a' * (L['n'] * 10000000000)) == 0",
        "[0] * L['n'] == [0]",
    ],
)
def test_a_hostile_condition_is_not_computed(text):
    assert outcome("LAMBDA_GUARD", text.replace("10**9", "1000000000"), "n=100000").holds is None


PIECES = (
    *(
        "<class 'tuple'>",
        "<function f at 0x7f>",
        "[1, 2]",
        "{'a': 1}",
        "None",
        "nan",
        "1e999",
        "'\\ud800'",
        "(",
        "]",
    ),
    *(
        " == ",
        " in ",
        "set()",
        "torch.float32",
        "0",
        "-1",
        "9**9**9",
        "L['x'].size()[0]",
        "...",
        "b'x'",
        "1j",
        "\0",
    ),
    *("{**a}", "[i for i in x]", "(yield)", "x:=1", "lambda: 0", "slice(0, 1, None)", "device(type='cpu')"),
)


def test_damaged_guards_are_not_evaluated_or_have_an_outcome():
    """Guards of all fixtures with pieces replaced: no text of a log raises an exception."""
    texts = sorted(
        {
            (match[1], match[2])
            for log in traces.EVERY_LOG
            if log.is_relative_to(traces.ROOT)
            for match in re.finditer(
                r"\+- ([A-Z_]+): (.{1,500}?)(?:  #|$)", log.read_text(errors="replace"), re.M
            )
        }
    )
    chance = random.Random(44)
    calls = (inputs({}), inputs(parse_call("x=f32[2, 3], n=3, s={1, 2}, l=[1, 2]")))
    for _ in range(4000):
        kind, text = chance.choice(texts)
        for _ in range(chance.randint(1, 2)):
            begin = chance.randint(0, len(text))
            text = text[:begin] + chance.choice(PIECES) + text[begin + chance.randint(0, 12) :]
        predicate = Predicate(chance.choice((kind, chance.choice(texts)[0])), "L['x']", text)
        condition_json(predicate), stated(predicate)
        for call in calls:
            assert check(predicate, call).holds in (True, False, None)
