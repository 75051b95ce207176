"""Guards evaluated in a page: it agrees with Python."""

import sys
from pathlib import Path

import pytest
from pages import settle
from tlparse_bundle import Bundle
from tlparse_bundle.guards.condition_json import condition_json
from tlparse_bundle.guards.expressions import plain
from tlparse_bundle.guards.history import history
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.values import JsonDict, JsonList, Named, Tensor

sys.path.append(str(Path(__file__).parents[1] / "guards"))
from condition_cases import CALLS, FUNCTIONS, calls_of, cases, tagged, value_of

# Values that Python wrote with tagged().
READ = """
const { Tensor, Sequence, Dict } = await import("/viewers/lib/guards/values.js");
const { parseValue } = await import("/viewers/lib/guards/literal.js");
const big = (numbers) => numbers && numbers.map(BigInt);
const read = (value) =>
  value.tensor ? new Tensor(big(value.tensor[0]), big(value.tensor[1]), ...value.tensor.slice(2))
  : value.items ? new Sequence("json", value.items.map(read))
  : value.pairs ? new Dict(true, value.pairs.map(([key, item]) => [key, read(item)]))
  : parseValue(value.literal);
const known = (call) => new Map(call.map(([source, value]) => [source, read(value)]));
"""
CHECK = f"""async ({{ guards, calls }}) => {{
  {READ}
  const {{ check }} = await import("/viewers/lib/guards/evaluate.js");
  return calls.map(known).map((call) => guards.map(([condition, text]) => {{
    const {{ holds, expected }} = check(condition, text, call);
    return [holds, holds === false ? expected : null];
  }}));
}}"""
PREDICT = f"""async ({{ entries, guards, calls }}) => {{
  {READ}
  const {{ predict }} = await import("/viewers/lib/guards/predict.js");
  const all = entries.map(([compile, ids]) => ({{ compile, guards: ids.map((id) => guards[id]) }}));
  return calls.map(known).map((call) => {{
    const {{ recompiles, entry, isCertain }} = predict(all, call, new Set(call.keys()), false);
    return [recompiles, entry && entry.compile, isCertain];
  }});
}}"""
# Each operator and function of guards, for the values below.
EXPRESSIONS = [
    *(f"L['a'] {sign} L['b'] == 2" for sign in ("+", "-", "*", "/", "//", "%", "&", "|")),
    *(f"L['a'] {sign} L['b']" for sign in ("==", "!=", "<", "<=", ">", ">=", "in", "not in", "is not")),
    *(f"{sign} L['a'] == -2" for sign in ("not", "-", "+", "~")),
    *(
        f"{name}(L['a'], L['b']) == 1"
        for name in (
            *("Mod", "PythonMod", "FloorDiv", "CleanDiv", "IntTrueDiv", "FloatTrueDiv", "TrueDiv", "Max"),
            *("Min", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "max", "min", "torch.sym_max"),
            *("torch.sym_min", "___dict_contains"),
        )
    ),
    *(
        f"{name}(L['a']) == 2"
        for name in (
            *("abs", "int", "float", "bool", "len", "max", "dict.keys", "list", "___as_tensor"),
            *("__math_isnan", "math.floor", "math.isnan", "math.isinf", "math.ceil", "torch.sym_not"),
            *("___tuple_iterator_len",),
        )
    ),
    "L['a'] <= L['b'] < 7 or L['a'] == 3",
    "PowByNatural(L['a'], 3) == 8",
    "L['a'] is None",
    "L['a'] is True",
    "L['a'] and not L['b']",
    "(L['a'], 2) == (7, 2)",
    "[L['a']] != [None]",
    "L['a'][0] == 1",
    "L['a'][-1] == L['b']",
    "L['a'].start + L['a'].stop == 7",
    "list(dict.keys(L['a']))[0] == 'k'",
    "L['a'].k == 1",
    "L['a'].size()[0] == L['b']",
    "L['a'].stride()[0] * 2 == L['a'].shape[0]",
    "L['a'].dim() == L['a'].ndim",
    "L['a'].dtype == torch.float32",
    "L['a'].item() == 2",
]
OPERANDS = [
    *(2, -2, 7, 0, 1, 10**20, 2.0, -2.5, 7.0, 0.0, 1e300, float("inf"), float("nan"), True, False, None),
    *("", "text", "k", "é", "range(0, 7)", "slice(1, 6, None)", "range(9, 2, -3)", "object(1)"),
    *((1, 2), (), [1, 2], JsonList([1, 2.5]), JsonDict({"k": 1, "2": 2}), JsonDict(), Named("torch.float32")),
    *(Tensor((2, 3), (3, 1), "torch.float32"), Tensor((), None, "torch.int64"), Tensor((4,), (2,))),
]
VALUES = """async (texts) => {
  const { parseValue } = await import("/viewers/lib/guards/literal.js");
  const { repr } = await import("/viewers/lib/guards/values.js");
  return texts.map((text) => { try { return repr(parseValue(text)); } catch (error) { return `! ${error.message}`; } });
}"""


@pytest.fixture
def blank_page(page_that, bundle_of, address_of):
    page = page_that(bypass_csp=True)
    page.goto(address_of(bundle_of("basic_inference")))
    settle(page)
    return page


def log_of(function, bundle_of):
    return Bundle.open(bundle_of(CALLS / function)).logs[0]


def test_every_guard_of_every_call_is_judged_as_in_python(blank_page, bundle_of):
    decided = 0
    for function in FUNCTIONS:
        log = log_of(function, bundle_of)
        by_compile = {}
        for row in log.table("call_inputs"):
            by_compile.setdefault(row["compile"], {})[plain(row["source"])] = value_of(row)
        given = cases(log.table("guards"), [*calls_of(function), *by_compile.values()])
        answers = given.pop("answers")
        found = blank_page.evaluate(CHECK, given)
        for call, theirs, ours in zip(given["calls"], answers, found, strict=True):
            for (_, text), wanted, answer in zip(given["guards"], theirs, ours, strict=True):
                assert answer == wanted, (function, text, call)
        decided += sum(holds is not None for row in answers for holds, _ in row)
    assert decided > 5_000


def _is_unusual(call):
    """Whether a page may leave it open: arithmetic with texts and containers, which guards do not have."""
    return any(isinstance(value, (str, tuple, list, dict)) for value in call.values())


def test_every_operator_is_that_of_python(blank_page):
    rows = [
        {
            "kind": "LAMBDA_GUARD",
            "source": None,
            "text": text,
            "expected": None,
            "condition": condition_json(Predicate("LAMBDA_GUARD", None, text)),
        }
        for text in EXPRESSIONS
    ]
    assert all(row["condition"] for row in rows)
    calls = [{"L['a']": a, "L['b']": b} for a in OPERANDS for b in OPERANDS]
    given = cases(rows, calls)
    answers = given.pop("answers")
    wrong = [
        (text, call, wanted[0], answer[0])
        for call, theirs, ours in zip(calls, answers, blank_page.evaluate(CHECK, given), strict=True)
        for text, wanted, answer in zip(EXPRESSIONS, theirs, ours, strict=True)
        if wanted[0] is not None and answer[0] != wanted[0] and not (answer[0] is None and _is_unusual(call))
    ]
    assert wrong == []
    decided = {
        text
        for theirs in answers
        for text, (holds, _) in zip(EXPRESSIONS, theirs, strict=True)
        if holds is not None
    }
    assert decided == set(EXPRESSIONS)


def test_next_calls_are_predicted_as_in_python(blank_page, bundle_of):
    certain = 0
    for function in FUNCTIONS:
        log = log_of(function, bundle_of)
        past = history(log, "0/0")
        calls = calls_of(function)
        trees = {row["compile"]: row["guards"] for row in log.table("guard_trees") if row["form"] == "tree"}
        given = {
            "entries": list(trees.items()),
            "guards": log.table("guards"),
            "calls": [[[source, tagged(value)] for source, value in call.items()] for call in calls],
        }
        for call, (recompiles, entry, is_certain) in zip(
            calls, blank_page.evaluate(PREDICT, given), strict=True
        ):
            wanted = past.next_call(call)
            if wanted.certain and is_certain:
                expected = (wanted.recompiles or wanted.runs_eager, wanted.entry)
                assert (recompiles, entry) == expected, (function, call)
                certain += 1
    assert certain > 500


def test_values_as_people_write_them(blank_page):
    examples = {
        "f32[8, 4]": "f32[8, 4][4, 1]",
        "f32[8, 4][1, 8]cuda:0 requires_grad": "f32[8, 4][1, 8]cuda:0 requires_grad",
        "f32[]": "f32[][]",
        " 5 ": "5",
        "-5": "-5",
        "1e5": "100000.0",
        ".5": "0.5",
        "1e-7": "1e-07",
        "True": "True",
        "None": "None",
        "'it\\'s'": '"it\'s"',
        '"a\\n"': "'a\\n'",
        "(1, 2.0)": "(1, 2.0)",
        "(1,)": "(1,)",
        "(1)": "1",
        "[None, 'a', [1]]": "[None, 'a', [1]]",
        "{'a': 1, 2: [3]}": "{'a': 1, 2: [3]}",
        "torch.float64": "torch.float64",
    }
    assert blank_page.evaluate(VALUES, list(examples)) == list(examples.values())
    bad = {
        "f31[8]": "Unknown dtype 'f31'",
        "f32[8, 4][1]": "has 2 sizes and 1 strides",
        "f32[8": "is not a value",
        "mean": "is not a value",
        "1 2": "is not a value",
        "[1": "is not a value",
        "": "is not a value",
        "[" * 200: "is not a value",
    }
    for found, expected in zip(blank_page.evaluate(VALUES, list(bad)), bad.values(), strict=True):
        assert found.startswith("!") and expected in found
