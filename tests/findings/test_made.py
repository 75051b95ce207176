"""What real logs here do not have: ties, guards that hide others, GPUs, damage."""

import json

import pytest
from jsonschema import Draft202012Validator
from log_builder import record
from tlparse_bundle.findings.places import Shortener, function_of, normalised
from tlparse_bundle.findings.words import duration, first_line, listed
from tlparse_bundle.format.schemas import schema


def start(compile_id, function, line, file=0):
    return record(
        f'dynamo_start {compile_id} {{"stack": [{{"line": {line}, "name": "{function}", "filename": {file}}}]}}'
    )


def metrics(compile_id, function="f", **values):
    values = {"co_name": function, "co_filename": "/p/a.py", "co_firstlineno": 1, "start_time_us": 1, "dynamo_cumulative_compile_time_us": 1000, **values}
    return record(f"compilation_metrics {compile_id} {json.dumps(values)}")


def compiled(compile_id, *reasons, function="f", **values):
    """A compile of a function, and why it was compiled again."""
    payload = None
    if reasons:
        payload = reasons[0] if len(reasons) == 1 else "[\n" + ",\n".join(map(json.dumps, reasons)) + "\n]"
    why = record(f"artifact:recompile_reasons {compile_id}", payload=payload) if reasons else b""
    return why + start(compile_id, function, 1) + metrics(compile_id, function, **values)


FILE = record('str ["/p/a.py", 0]')


def size(failed, expected, actual, name="x"):
    return f"{failed}: tensor '{name}' size mismatch at index 0. expected {expected}, actual {actual}"


@pytest.fixture
def found(log_of):
    return lambda *parts, **options: log_of(FILE + b"".join(parts), **options).findings()


def of(table, kind):
    rows = [row for row in table["findings"] if row["kind"] == kind]
    about = Draft202012Validator({**schema("findings")["$defs"]["details"]["properties"][kind], "$defs": schema("findings")["$defs"]})
    assert [error.message for row in rows for error in about.iter_errors(row["details"])] == []
    return rows


def test_a_tie_has_no_because(found):
    """One batch size, one grad mode: neither is the cause of two recompiles."""
    table = found(compiled("0/0"), compiled("0/1", size("0/0", 4, 5)), compiled("0/2", "0/1: GLOBAL_STATE changed: grad_mode "))
    assert "because" not in table["summary"]["text"]
    assert table["summary"]["text"].endswith("2 recompiles for 2 reasons.")


def test_a_third_is_not_mostly(found):
    """Four recompiles, the most frequent cause has two."""
    flags = [compiled(f"0/{n}", f"0/{n - 1}: {name} == 1") for n, name in ((1, "a"), (2, "a"), (3, "b"), (4, "c"))]
    text = found(compiled("0/0"), *flags)["summary"]["text"]
    assert "mostly" not in text and "because" not in text


def test_a_majority_is_said(found):
    sizes = [compiled(f"0/{n}", size(f"0/{n - 1}", n, n + 1)) for n in range(1, 4)]
    assert "3 recompiles because `x.size(0)` changed (1 → 2 → 3 → 4)" in found(compiled("0/0"), *sizes)["summary"]["text"]
    text = found(compiled("0/0"), *sizes, compiled("0/4", "0/3: flag == True"))["summary"]["text"]
    assert "4 recompiles mostly because `x.size(0)` changed" in text


def test_the_cause_is_the_result_that_one_guard_kept_out(found):
    """(4, grad), (4, no grad), (5, grad): torch names the grad mode first; the first result lacks the size only."""
    grad = "GLOBAL_STATE changed: grad_mode "
    table = found(
        compiled("0/0"), compiled("0/1", f"0/0: {grad}"), compiled("0/2", size("0/1", 4, 6), size("0/0", 4, 6)),
        compiled("0/3", f"0/2: {grad}", size("0/1", 4, 5), size("0/0", 4, 5)), compiled("0/4", f"0/3: {grad}", f"0/2: {grad}", f"0/1: {grad}", size("0/0", 4, 7)),
    )  # fmt: skip
    causes = {row["details"]["change"]: row["count"] for row in of(table, "recompile")}
    assert causes == {"global_state": 1, "size": 3}


def test_nothing_was_near(found):
    """Both results are known to differ in size and in type."""
    dtype = "tensor 'x' dtype mismatch. expected Float, actual Double"
    table = found(
        compiled("0/0"), compiled("0/1", size("0/0", 4, 5)), compiled("0/2", size("0/1", 5, 6), f"0/0: {dtype}"), compiled("0/3", f"0/1: {dtype}", size("0/0", 4, 7)),
    )  # fmt: skip
    assert "`f` was compiled again twice: no earlier result was near: each was kept out by several guards" in [row["title"] for row in of(table, "recompile")]


def test_two_guards_on_one_object_are_one_cause(found):
    table = found(
        compiled("0/0"), compiled("0/1", "0/0: ___check_type_id(L['m'], 1)"), compiled("0/2", "0/1: ___check_obj_id(L['m'], 2)"),
    )  # fmt: skip
    assert [row["count"] for row in of(table, "recompile")] == [2]


def test_the_hint_of_torch_comes_instead_of_ours(found):
    hint = "torch.compile considers integer attributes of the nn.Module to be static. If you are observing recompilation, you might want to make this integer dynamic using torch._dynamo.config.allow_unspec_int_on_nn_module = True, or convert this integer into a tensor."
    table = found(compiled("0/0"), compiled("0/1", f"0/0: self.step == 1            # return x + self.step  # a.py:5 in f (HINT: {hint})"))
    (row,) = of(table, "recompile")
    assert row["remedies"] == [{"text": hint, "code": None, "source": "torch"}]


def test_no_remedy_that_the_settings_have_already(found):
    config = json.dumps({"specialize_int": False, "recompile_limit": 3, "fail_on_recompile_limit_hit": True})
    table = found(compiled("0/0", dynamo_config=config), compiled("0/1", "0/0: n == 1", dynamo_config=config))
    assert "specialize_int" not in json.dumps([row["remedies"] for row in of(table, "recompile")])


def test_size_one_is_not_marked_dynamic(found):
    (row,) = of(found(compiled("0/0"), compiled("0/1", size("0/0", 4, 1))), "recompile")
    assert not any("mark_dynamic" in (remedy["code"] or "") for remedy in row["remedies"])


@pytest.mark.parametrize(("raised", "words"), [(True, "an error was raised"), (False, "it runs uncompiled")])
def test_the_limit_says_what_happened(found, raised, words):
    config = json.dumps({"recompile_limit": 1, "fail_on_recompile_limit_hit": raised})
    refused = record("artifact:recompile_reasons 0/1", payload=size("0/0", 4, 5)) + metrics(
        "0/1", dynamo_config=config, fail_type="FailOnRecompileLimitHit" if raised else "RecompileLimitExceeded", fail_reason="recompile_limit reached"
    )
    table = found(compiled("0/0", dynamo_config=config), refused)
    (row,) = of(table, "recompile-limit")
    assert words in row["title"] and "limit of 1" in row["title"] and row["details"]["raised"] is raised
    assert (table["summary"]["recompile_count"], table["summary"]["compile_count"], table["summary"]["failure_count"]) == (0, 1, 0)


def test_graphs_without_cuda_graphs(found):
    reason = "skipping cudagraphs due to mutated inputs (1 instances). Found from : \n   File 'a.py', line 3"
    table = found(compiled("0/0", cudagraph_skip_reason=reason), compiled("1/0", function="g", cudagraph_skip_reason=reason), compiled("2/0", function="h"))
    (row,) = of(table, "cudagraph-skip")
    assert row["title"] == "2 graphs of `f` and `g` run without CUDA graphs: skipping cudagraphs due to mutated inputs (1 instances). Found from :" + " File 'a.py', line 3"
    assert table["summary"]["cudagraph_skip_count"] == 2


def test_time_of_autotuning(found):
    table = found(compiled("0/0", compile_time_autotune_time_us=1_500_000), compiled("1/0", function="g", compile_time_autotune_time_us=10))
    (row,) = of(table, "autotune")
    assert (row["cost_us"], row["count"]) == (1_500_010, 2)
    assert of(found(compiled("0/0", compile_time_autotune_time_us=0)), "autotune") == []


def test_damage_is_said_and_nothing_is_promised(found):
    table = found(compiled("0/0"), b"V0401 12:00:00.000001 7 a.py:1] {broken\n")
    (row,) = of(table, "data-problem")
    assert row["title"] == "The log is damaged: 1 record could not be read"
    assert "no failures" not in table["summary"]["text"]


def test_an_error_of_a_cache(found):
    table = found(compiled("0/0"), record("artifact:aotautograd_cache_pickle_failure 0/0", payload='{"error": "no pickle", "field": "guards"}'))
    assert [row["details"]["cache"] for row in of(table, "cache-error")] == ["aot_autograd"]


def test_a_log_that_stops_in_a_compile_is_never_healthy(found):
    table = found(compiled("0/0"), start("1/0", "g", 5))
    assert "no failures" not in table["summary"]["text"]
    assert [row["function"] for row in of(table, "unfinished-compile")] == ["g"]


def test_a_log_without_compiles_says_so(found):
    assert found(record("artifact:notes", payload="x"))["summary"]["text"] == "No compiles in this log."


def test_hostile_names_stay_in_their_line(found):
    table = found(record('str ["/p/b.py", 1]'), start("0/0", "evil\\nname`", 1, 1), metrics("0/0", "evil\nname`", fail_type="E", fail_reason="a\nb" * 5000))
    for row in table["findings"]:
        assert "\n" not in row["title"] and len(row["title"]) < 1000 and len(row["text"]) < 6000


# Words


def test_words():
    assert [duration(us) for us in (None, 5, 1500, 2_500_000, 12_340_000, 125_000_000)] == ["unknown", "5 µs", "1.5 ms", "2.5 s", "12.3 s", "2 min 5 s"]
    assert listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert first_line("a raised:\n  b\nc") == "a raised: b"


def test_what_differs_between_machines_is_left_out():
    one = "function <f at 0x7f00aa> in /home/me/run1/model.py, <eval_with_key>.3, /opt/py/lib/python3.11/site-packages/torch/x.py"
    other = "function <f at 0x7e11bb> in /srv/job/model.py, <eval_with_key>.12, /usr/lib/python3.12/site-packages/torch/x.py"
    assert normalised(one) == normalised(other)
    assert function_of("torch_dynamo_resume_in_f_at_3") == "f" == function_of("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_9")


def test_short_places():
    short = Shortener(["/home/me/run/model/a.py", "/home/me/run/model/b.py", "/home/me/run/train.py", None])
    assert [short(file) for file in ("/home/me/run/model/a.py", "/home/me/run/train.py", "/x/site-packages/torch/nn/f.py")] == ["model/a.py", "train.py", "torch/nn/f.py"]
    assert Shortener([])("/p/a.py") == "/p/a.py"
