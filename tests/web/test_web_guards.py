"""Guards evaluated in a page: it agrees with Python."""

import sys
from pathlib import Path

import pytest
from pages import settle
from tlparse_bundle import Bundle
from tlparse_bundle.guards.history import history

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
            by_compile.setdefault(row["compile"], {})[row["source"]] = value_of(row)
        given = cases(log.table("guards"), [*calls_of(function), *by_compile.values()])
        answers = given.pop("answers")
        found = blank_page.evaluate(CHECK, given)
        for call, theirs, ours in zip(given["calls"], answers, found, strict=True):
            for (_, text), wanted, answer in zip(given["guards"], theirs, ours, strict=True):
                assert answer == wanted, (function, text, call)
        decided += sum(holds is not None for row in answers for holds, _ in row)
    assert decided > 5_000


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
