"""Cases missing from real logs here: ties, guards that hide others, GPUs, damage."""

import json

import pytest
from log_builder import record
from made_compiles import FILE, compiled, metrics, of, size, start
from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.base.wording import duration, first_line, listed
from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.source_places import Shortener


@pytest.fixture
def found(log_of):
    return lambda *parts, **options: log_of(FILE + b"".join(parts), **options)


def test_a_tie_has_no_because(found):
    """One batch size, one grad mode: neither is the cause of two recompiles."""
    log = found(
        compiled("0/0"),
        compiled("0/1", size("0/0", 4, 5)),
        compiled("0/2", "0/1: GLOBAL_STATE changed: grad_mode "),
    )
    assert "because" not in log.summary["text"]
    assert log.summary["text"].endswith("2 recompiles (2 causes).")


def test_a_third_is_not_mostly(found):
    """Four recompiles, the most frequent cause has two."""
    flags = [
        compiled(f"0/{n}", f"0/{n - 1}: {name} == 1") for n, name in ((1, "a"), (2, "a"), (3, "b"), (4, "c"))
    ]
    text = found(compiled("0/0"), *flags).summary["text"]
    assert "mostly" not in text and "because" not in text


def test_a_majority_is_reported(found):
    sizes = [compiled(f"0/{n}", size(f"0/{n - 1}", n, n + 1)) for n in range(1, 4)]
    assert (
        "3 recompiles because `x.size(0)` had different values"
        in found(compiled("0/0"), *sizes).summary["text"]
    )
    text = found(compiled("0/0"), *sizes, compiled("0/4", "0/3: flag == True")).summary["text"]
    assert "4 recompiles, mostly because `x.size(0)` had " in text


def test_the_cause_is_the_guard_of_an_entry_for_the_same_global_state(found):
    """torch names the grad mode of the newest entry first; only for one recompile does no entry fit it."""
    grad = "GLOBAL_STATE changed: grad_mode "
    log = found(
        compiled("0/0"), compiled("0/1", f"0/0: {grad}"), compiled("0/2", size("0/1", 4, 6), size("0/0", 4, 6)),
        compiled("0/3", f"0/2: {grad}", size("0/1", 4, 5), size("0/0", 4, 5)), compiled("0/4", f"0/3: {grad}", f"0/2: {grad}", f"0/1: {grad}", size("0/0", 4, 7)),
    )  # fmt: skip
    causes = {row["details"]["change"]: row["count"] for row in of(log, "recompile")}
    assert causes == {"size": 3, "global_state": 1}


def test_two_guards_on_one_object_are_one_cause(found):
    log = found(
        compiled("0/0"), compiled("0/1", "0/0: ___check_type_id(L['m'], 1)"), compiled("0/2", "0/1: ___check_obj_id(L['m'], 2)"),
    )  # fmt: skip
    assert [row["count"] for row in of(log, "recompile")] == [2]


def test_the_hint_of_torch_comes_instead_of_ours(found):
    hint = (
        "torch.compile considers integer attributes of the nn.Module to be static. If you are observing"
        " recompilation, you might want to make this integer dynamic using"
        " torch._dynamo.config.allow_unspec_int_on_nn_module = True, or convert this integer into a tensor."
    )
    log = found(
        compiled("0/0"),
        compiled(
            "0/1", f"0/0: self.step == 1            # return x + self.step  # a.py:5 in f (HINT: {hint})"
        ),
    )
    (row,) = of(log, "recompile")
    assert row["remedies"] == [{"text": hint, "code": None, "source": "torch"}]


def test_no_remedy_that_is_already_set(found):
    config = json.dumps({"specialize_int": False, "recompile_limit": 3, "fail_on_recompile_limit_hit": True})
    log = found(compiled("0/0", dynamo_config=config), compiled("0/1", "0/0: n == 1", dynamo_config=config))
    assert "specialize_int" not in json.dumps([row["remedies"] for row in of(log, "recompile")])


def test_size_one_is_not_marked_dynamic(found):
    (row,) = of(found(compiled("0/0"), compiled("0/1", size("0/0", 4, 1))), "recompile")
    assert not any("mark_dynamic" in (remedy["code"] or "") for remedy in row["remedies"])


@pytest.mark.parametrize(("raised", "words"), [(True, "torch raised an error"), (False, "now run eager")])
def test_the_limit_describes_what_happened(found, raised, words):
    config = json.dumps({"recompile_limit": 1, "fail_on_recompile_limit_hit": raised})
    refused = record("artifact:recompile_reasons 0/1", payload=size("0/0", 4, 5)) + metrics(
        "0/1",
        dynamo_config=config,
        fail_type="FailOnRecompileLimitHit" if raised else "RecompileLimitExceeded",
        fail_reason="recompile_limit reached",
    )
    log = found(compiled("0/0", dynamo_config=config), refused)
    (row,) = of(log, "recompile-limit")
    assert words in row["title"] and "limit (1)" in row["title"] and row["details"]["raised"] is raised
    assert (log.summary["recompile_count"], log.summary["compile_count"], log.summary["failure_count"]) == (
        0,
        1,
        0,
    )


def test_graphs_without_cuda_graphs(found):
    reason = "skipping cudagraphs due to mutated inputs (1 instances). Found from : \n   File 'a.py', line 3"
    log = found(
        compiled("0/0", cudagraph_skip_reason=reason),
        compiled("1/0", function="g", cudagraph_skip_reason=reason),
        compiled("2/0", function="h"),
    )
    (row,) = of(log, "cudagraph-skip")
    assert row["title"] == "2 graphs of `f` and `g` run without CUDA graphs: mutated inputs (1 instances)"
    assert log.summary["cudagraph_skip_count"] == 2


def test_time_of_autotuning(found):
    log = found(
        compiled("0/0", compile_time_autotune_time_us=1_500_000),
        compiled("1/0", function="g", compile_time_autotune_time_us=10),
    )
    (row,) = of(log, "autotune")
    assert (row["cost_us"], row["count"]) == (1_500_010, 2)
    assert of(found(compiled("0/0", compile_time_autotune_time_us=0)), "autotune") == []


def test_damage_is_reported_and_nothing_is_promised(found):
    log = found(compiled("0/0"), b"V0401 12:00:00.000001 7 a.py:1] {broken\n")
    (row,) = of(log, "data-problem")
    assert row["title"] == "The log is damaged: 1 record could not be read"
    assert "No failures" not in log.summary["text"]


def test_a_log_that_may_end_within_its_last_payload(found):
    """In an earlier record it is damage that loses nothing."""
    whole, cut = (record("artifact:x 0/0", payload=text) for text in ("all of it", "a part of it"))
    (row,) = of(found(compiled("0/0"), whole, cut[:-4]), "data-problem")
    assert row["title"] == "The log is damaged: the payload checksum of the last record does not match"
    assert row["details"]["loses_records"]
    (row,) = of(found(compiled("0/0"), whole.replace(b"all", b"any"), cut), "data-problem")
    assert row["title"] == "The log is damaged: the payload checksum of 1 record does not match"
    assert not row["details"]["loses_records"]


def test_an_error_of_a_cache(found):
    log = found(
        compiled("0/0"),
        record(
            "artifact:aotautograd_cache_pickle_failure 0/0",
            payload='{"error": "no pickle", "field": "guards"}',
        ),
    )
    assert [row["details"]["cache"] for row in of(log, "cache-error")] == ["aot_autograd"]


def test_a_log_that_stops_in_a_compile_is_never_healthy(found):
    log = found(compiled("0/0"), start("1/0", "g", 5))
    assert "No failures" not in log.summary["text"]
    assert [row["function"] for row in of(log, "unfinished-compile")] == ["g"]


def test_a_log_without_compiles(found):
    assert found(record("artifact:notes", payload="x")).summary["text"] == "No compiles in this log."


def test_hostile_names_stay_in_their_line(found):
    log = found(
        record('str ["/p/b.py", 1]'),
        start("0/0", "evil\\nname`", 1, 1),
        metrics("0/0", "evil\nname`", fail_type="E", fail_reason="a\nb" * 5000),
    )
    for row in log.findings():
        assert "\n" not in row["title"] and len(row["title"]) < 1000 and len(row["text"]) < 6000


# Words


def test_words():
    assert [duration(us) for us in (None, 5, 1500, 2_500_000, 12_340_000, 125_000_000)] == [
        "unknown",
        "5 µs",
        "1.5 ms",
        "2.5 s",
        "12.3 s",
        "2 min 5 s",
    ]
    assert listed(["a", "b", "c", "d"]) == "a, b, c and 1 more"
    assert first_line("a raised:\n  b\nc") == "a raised: b"


def test_machine_specific_text_is_left_out():
    one = (
        "function <f at 0x7f00aa> in /home/me/run1/model.py, <eval_with_key>.3,"
        " /opt/py/lib/python3.11/site-packages/torch/x.py"
    )
    other = (
        "function <f at 0x7e11bb> in /srv/job/model.py, <eval_with_key>.12,"
        " /usr/lib/python3.12/site-packages/torch/x.py"
    )
    assert normalised(one) == normalised(other)
    assert (
        function_of("torch_dynamo_resume_in_f_at_3")
        == "f"
        == function_of("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_9")
    )


def test_short_places():
    short = Shortener(["/home/me/run/model/a.py", "/home/me/run/model/b.py", "/home/me/run/train.py", None])
    assert [
        short(file)
        for file in ("/home/me/run/model/a.py", "/home/me/run/train.py", "/x/site-packages/torch/nn/f.py")
    ] == ["model/a.py", "train.py", "torch/nn/f.py"]
    assert Shortener([])("/p/a.py") == "/p/a.py"


# Sentences that were wrong before


def config(**settings):
    return {"dynamo_config": json.dumps({"automatic_dynamic_shapes": True, **settings})}


def test_the_accumulated_limit_is_not_the_limit_of_one_function(found):
    """As torch 2.13 writes it."""
    reason = (
        "Dynamo recompile limit exceeded\n  Explanation: Dynamo attempted to recompile the code object too"
        " many times, exceeding the accumulated_recompile_limit cache size limit (currently set to 3)."
        " Excessive recompilations can degrade performance."
    )
    why = record(
        "artifact:recompile_reasons 0/1",
        payload="0/0: tensor 'x' dtype mismatch. expected Float, actual Char",
    )
    log = found(
        compiled("0/0", **config(recompile_limit=8)),
        why + metrics("0/1", fail_type="Unsupported", fail_reason=reason, **config(recompile_limit=8)),
    )
    (row,) = of(log, "recompile-limit")
    assert row["title"].startswith("`f` hit the accumulated recompile limit (3):")
    assert "expected Float, actual Char" in row["text"] and row["details"]["limit"] == 3


def test_no_size_becomes_dynamic_where_that_is_off(found):
    sizes = [
        compiled(f"0/{n}", size(f"0/{n - 1}", n + 1, n + 2), **config(automatic_dynamic_shapes=False))
        for n in range(1, 4)
    ]
    (row,) = of(found(compiled("0/0", **config(automatic_dynamic_shapes=False)), *sizes), "recompile")
    (remedy,) = row["remedies"]
    assert remedy["code"] == "torch._dynamo.maybe_mark_dynamic(x, 0)" and "dynamic=False" in remedy["text"]
    assert "dynamic=True" not in remedy["text"]


def test_sizes_with_a_small_one_are_marked_dynamic(found):
    """dynamic=True takes 4, 5 and 6 together, and 1 apart."""
    sizes = [
        compiled(f"0/{n}", size(f"0/{n - 1}", old, new))
        for n, (old, new) in enumerate(((4, 5), (5, 6), (6, 1)), 1)
    ]
    (row,) = of(found(compiled("0/0"), *sizes), "recompile")
    assert (
        row["remedies"][0]["code"] == "torch._dynamo.maybe_mark_dynamic(x, 0)"
        and "0 and 1" in row["remedies"][0]["text"]
    )


def test_the_integer_one_becomes_dynamic_since_torch_2_5(found):
    (row,) = of(found(compiled("0/0"), compiled("0/1", "0/0: n == 1")), "recompile")
    assert "Before torch 2.5, 0 and 1 are specialized" in row["remedies"][0]["text"]


def test_the_name_of_a_variable_is_not_a_hint(found):
    """torch 2.13 on a closure."""
    (row,) = of(
        found(
            compiled("0/0"),
            compiled(
                "0/1",
                "0/0: fn.__closure__[0].cell_contents == 7      # def inner(x): return x+n  # a.py:5 in inner"
                ' (HINT: guard on "n")',
            ),
        ),
        "recompile",
    )
    assert [remedy["source"] for remedy in row["remedies"]] == ["tlparse-bundle"]


def test_length_and_type_are_not_values_of_one_source(found):
    log = found(
        compiled("0/0"),
        compiled("0/1", "0/0: len(L['xs']) == 2"),
        compiled("0/2", "0/1: ___check_type_id(L['xs'], 9487520), type=<class 'list'>"),
    )
    assert [row["title"] for row in of(log, "recompile")] == [
        "`f` recompiled twice: `len(xs)` and `type(xs)` changed"
    ]


def test_a_different_device_is_not_a_grad_mode(found):
    cpu, meta = (
        f"DispatchKeySet({device}, BackendSelect, ADInplaceOrView, Autograd{device})"
        for device in ("CPU", "Meta")
    )
    plain = "DispatchKeySet(CPU, BackendSelect)"
    for actual, words, advice in (
        (meta, "from `CPU, AutogradCPU` to `Meta, AutogradMeta`", "same device"),
        (plain, "from `ADInplaceOrView, AutogradCPU` to `none`", "inference mode"),
    ):
        (row,) = of(
            found(
                compiled("0/0"),
                compiled(
                    "0/1", f"0/0: tensor 'x' dispatch key set mismatch. expected {cpu}, actual {actual}"
                ),
            ),
            "recompile",
        )
        assert words in row["title"] and advice in row["remedies"][0]["text"]


def test_the_headline_says_in_which_function(found):
    log = found(
        compiled("0/0"),
        *(compiled(f"0/{n}", f"0/{n - 1}: n == {n + 5}") for n in (1, 2)),
        compiled("1/0", function="g"),
        compiled("1/1", "1/0: m == 7", function="g"),
    )
    assert "mostly because `n` had" in log.summary["text"] and log.summary["text"].endswith(" in `f`.")


def test_files_and_addresses_in_sentences_are_short(found):
    reason = (
        "cannot trace <function helper at 0x7f00aabbccdd> of /p/lib/helper.py,"
        " /opt/py/lib/python3.11/site-packages/torch/nn/x.py, see https://pytorch.org/docs/a/b"
    )
    (row,) = of(found(start("0/0", "f", 1), metrics("0/0", fail_type="E", fail_reason=reason)), "failure")
    assert (
        row["title"]
        == "`f` failed to compile: E: cannot trace <function helper> of lib/helper.py, torch/nn/x.py, see"
        " https://pytorch.org/docs/a/b"
    )


def test_a_failure_without_a_line_is_at_its_function(found):
    (row,) = of(
        found(
            start("0/0", "f", 7),
            metrics(
                "0/0",
                fail_type="BackendCompilerFailed",
                fail_reason="backend='bad' raised:\nRuntimeError: no",
                co_firstlineno=7,
            ),
        ),
        "failure",
    )
    assert (row["file"], row["line"]) == ("a.py", 7) and row["text"] == ""


def test_execution_after_a_suppressed_error(found):
    (row,) = of(
        found(
            start("0/0", "f", 7),
            metrics("0/0", fail_type="E", fail_reason="no", **config(suppress_errors=True)),
        ),
        "runs-eager",
    )
    assert row["title"] == "`f` runs eager: `suppress_errors` hid the error"


def test_a_partial_graph_without_its_exception(found):
    (row,) = of(
        found(record("artifact:make_fx_fail_partial", payload="def forward(self):\n    pass")), "failure"
    )
    assert row["title"] == "`make_fx` failed outside a compile" and "not the exception" in row["text"]


def test_a_cold_cache_is_no_finding(found):
    """A first run always misses; a miss beside hits costs its compile time."""
    miss = record(
        "artifact:fx_graph_cache_miss 0/0",
        payload=json.dumps({"cache_state": "miss", "key": "k", "time_taken_ns": 5_000_000, "components": []}),
    )
    hit = record(
        "artifact:fx_graph_cache_hit 1/0",
        payload=json.dumps({"cache_state": "hit", "key": "h", "time_saved_ns": 1000, "components": []}),
    )
    assert of(found(compiled("0/0") + miss), "cache-miss") == []
    (warm,) = of(found(compiled("0/0") + miss, compiled("1/0", function="g") + hit), "cache-miss")
    assert (warm["cost_us"], warm["cost_of"]) == (5000, "compiles that missed the cache")


def test_exceptions_of_two_kinds_are_two_breaks(found):
    def broken(compile_id, line, error):
        text = (
            f"Graph break in user code at /p/a.py:{line}\nGraph Break Reason: Observed exception\n "
            " Explanation: Dynamo found no exception handler.\n\n  Developer debug context: raised exception"
            f" {error}\n\nUser code traceback:\n"
        )
        return record(f"artifact:dynamo_graph_break_reason {compile_id}", payload=text)

    log = found(
        compiled("0/0") + broken("0/0", 3, "KeyError('mine')"),
        compiled("1/0", function="g") + broken("1/0", 9, "ValueError('other')"),
    )
    assert sorted(row["title"].rpartition(": ")[2] for row in of(log, "graph-break")) == [
        "KeyError('mine')",
        "ValueError('other')",
    ]


# A log with very many


def test_a_log_has_no_more_findings_than_a_person_can_read(found):
    failed = [metrics(f"{n}/0", f"f{n}", fail_type="E", fail_reason=f"reason {n}") for n in range(400)]
    costly = compiled("900/0", function="slow") + compiled(
        "900/1",
        "900/0: n == 5",
        function="slow",
        dynamo_cumulative_compile_time_us=9_000_000,
        entire_frame_compile_time_s=9.0,
    )
    log = found(*failed, costly)
    (rest,) = of(log, "unlisted")
    assert len(log.findings()) == 300 and log.findings()[-1] == rest
    assert (
        rest["count"] == 102 == sum(kind["count"] for kind in rest["details"]["kinds"]) and rest["compiles"]
    )
    assert log.summary["failure_count"] == 400 == log.summary["findings"]["error"]
    assert [row["function"] for row in of(log, "recompile")] == ["slow"]


def test_a_name_without_end_is_cut(found):
    name = "n" * 100_000
    log = found(start("0/0", name, 1), metrics("0/0", name, fail_type="E", fail_reason="`" + "a" * 100_000))
    assert all(len(json.dumps(row)) < 12_000 and row["title"].count("`") % 2 == 0 for row in log.findings())


def test_error_on_recompile_is_only_a_failure(found):
    """torch 2.13 writes the reasons, then it raises."""
    why = record("artifact:recompile_reasons 0/1", payload=size("0/0", 2, 3))
    log = found(
        compiled("0/0"),
        why
        + metrics(
            "0/1",
            fail_type="RecompileError",
            fail_reason=(
                "Recompiling function f in /p/a.py:3\n    triggered by the following guard failure(s):\n    -"
                " 0/0: tensor 'x' size mismatch"
            ),
        ),
    )
    assert of(log, "recompile") == [] and len(of(log, "failure")) == 1
    assert (log.summary["recompile_count"], log.summary["compile_count"]) == (0, 1)


def test_a_remedy_belongs_to_the_reported_guard(found):
    """One entry differs in the size alone, the other in the dtype."""
    other = "tensor 'x' dtype mismatch. expected Float, actual Double"
    log = found(
        compiled("0/0"), compiled("0/1", f"0/0: {other}"), compiled("0/2", size("0/0", 2, 3), "0/1: tensor 'x' dtype mismatch. expected Double, actual Float"),
    )  # fmt: skip
    (row,) = (row for row in of(log, "recompile") if row["details"]["change"] == "size")
    assert "mark_dynamic" in row["remedies"][0]["code"]


def test_cache_results_are_reported_where_nothing_was_compiled(found):
    hit = record(
        "artifact:fx_graph_cache_hit",
        payload=json.dumps({"cache_state": "hit", "key": "h", "components": []}),
    )
    assert found(hit, hit).summary["text"] == "No compiles in this log. 2 FX graph cache hits."


def test_an_integer_that_the_program_specializes(found):
    """for _ in range(n), torch 2.13: dynamic after the first recompile, then specialized."""
    constant = record(
        'symbolic_shape_specialization 0/1 {"symbol": "s1", "sources": ["L[\'n\']"], "value": "3", "reason":'
        ' "range_refined_to_singleton", "stack": [], "user_stack": []}'
    )
    log = found(compiled("0/0"), compiled("0/1", "0/0: n == 2") + constant, compiled("0/2", "0/1: n == 3"))
    (row,) = of(log, "recompile")
    assert "specialized it" in row["remedies"][0]["text"] and row["details"]["is_specialized"]
    assert of(log, "specialization") == []  # the recompile has it
    assert "`n` had values such as `2` and `3`" in row["title"]


def test_a_hit_on_an_entry_of_this_process_is_not_a_warm_cache(found):
    """vLLM's equal pieces: the second one finds what the first one stored."""
    rows = [
        record(
            f"artifact:fx_graph_cache_{state} {n}/0",
            payload=json.dumps(
                {"cache_state": state, "key": key, "time_taken_ns": 5_000_000, "components": []}
            ),
        )
        for n, (state, key) in enumerate((("miss", "a"), ("hit", "a")))
    ]
    assert of(found(compiled("0/0") + rows[0], compiled("1/0", function="g") + rows[1]), "cache-miss") == []


def test_a_capture_with_a_compiling_backend_is_not_an_export(found):
    """vLLM compiles ahead of time in fullgraph_capture; torch.export only captures there."""

    def span(name, phase, ts):
        return record(
            "chromium_event",
            payload=json.dumps(
                {"name": name, "ph": phase, "ts": ts, "pid": 0, "tid": 0, "cat": "dynamo_timed"}
            ),
        )

    def capture(*inner):
        return b"".join(
            [
                span("fullgraph_capture", "B", 1.0),
                *(span(name, phase, at) for name in inner for phase, at in (("B", 2.0), ("E", 3.0))),
                span("fullgraph_capture", "E", 9.0),
            ]
        )

    assert found(capture("vllm_backend")).summary["text"].startswith("1 ahead-of-time compile, 8 µs")
    assert found(capture("compile_attempt_0")).summary["text"].startswith("at least 1 export, 8 µs")
