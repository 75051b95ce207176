"""Symbols of dynamic shapes: those of a fixture's program, and records written by hand."""

import json

from log_builder import log, raw_record, record


def event_of(it, event_index):
    return next(event for event in it.events() if event.index == event_index)


def lines(log, stack_index):
    return [frame["code"] for frame in log.stack(stack_index)]


def dtrace(root, built, name):
    (log,) = (log for log in built(root / "fixtures" / "export_dtrace" / "trace").logs if log.id == name)
    return log


def dynamic_shapes(root, built):
    (log,) = built(root / "fixtures" / "dynamic_shapes" / "trace").logs
    return log


def of_compile(log, compile, table):
    return [row for row in log.table(table) if row["compile"] == compile]


def symbol_of(log, event):
    (row,) = (row for row in log.table("symbols") if row["event"] == event)
    return row


def test_a_guard_names_its_symbol_and_its_source(built, root):
    """guarded: x.shape[0] > 3, called with 6."""
    it = dynamic_shapes(root, built)
    (symbol,) = of_compile(it, "1/0", "symbols")
    assert (symbol["value"], symbol["source"], symbol["unbacked"]) == ("6", "L['x'].size()[0]", False)
    (guard,) = of_compile(it, "1/0", "symbol_guards")
    assert guard["expr"] == f"{symbol['name']} > 3"
    assert guard["symbol_events"] == [symbol["event"]]
    assert lines(it, guard["user_stack"])[-1] == "if x.shape[0] > 3:"
    assert (guard["pair_event"], guard["context"], guard["prefix"]) == (None, None, None)


def test_a_specialization_names_its_symbol(built, root):
    it = dynamic_shapes(root, built)
    (special,) = of_compile(it, "0/0", "specializations")
    assert (special["value"], special["reason"]) == ("7", "range_refined_to_singleton")
    assert "L['x'].size()[1]" in special["sources"]
    symbol = symbol_of(it, special["symbol_event"])
    assert (symbol["name"], symbol["value"], symbol["source"]) == (special["name"], "7", "L['x'].size()[1]")


def test_unbacked_symbols_have_no_value_and_no_source(built, root):
    """unbacked: item() and nonzero(), with torch._check(n >= 2) and torch._check(n < 100)."""
    it = dynamic_shapes(root, built)
    symbols = [row for row in of_compile(it, "2/0", "symbols") if row["unbacked"]]
    assert [(row["value"], row["source"]) for row in symbols] == [(None, None), (None, None)]
    checks = [row["expr"].replace(symbols[0]["name"], "n") for row in of_compile(it, "2/0", "symbol_guards")]
    assert checks == ["n >= 2", "n < 100"]


def test_the_two_records_of_a_guard_are_one_row(built, root):
    """Plain: x.shape[0] * 2 > 5, exported with TORCH_DTRACE."""
    it = dtrace(root, built, "fixture0")
    (guard,) = it.table("symbol_guards")
    kinds = [event_of(it, guard[name]).type for name in ("event", "pair_event")]
    assert kinds == ["guard_added", "guard_added_fast"]
    assert guard["prefix"] == "eval"
    context = it.table("symbol_contexts")[guard["context"]]
    assert context["id"] == guard["context"]
    assert context["loc"] == "return x.sin() * x.shape[0] if x.shape[0] * 2 > 5 else x"
    (symbol,) = context["symbol_sources"]
    assert guard["expr"] == f"2*{symbol} > 5"
    assert context["symbol_sources"] == {symbol: "L['x'].size()[0]"}
    assert context["locals"]["x"][0].startswith(f"Tensor(shape: torch.Size([{symbol}])")
    assert lines(it, guard["user_stack"])[-1] == context["loc"]  # of guard_added: guard_added_fast has none
    assert len(lines(it, guard["stack"])) > 3  # of guard_added_fast
    assert event_of(it, guard["expression_event"]).metadata["expression_created"]["result"] == guard["expr"]


def test_a_real_value_that_decided_a_condition(built, root):
    """draft_export of: count = y.max().item(); if count > 2."""
    it = dtrace(root, built, "fixture1")
    (decided,) = it.table("symbol_values")
    (symbol,) = decided["symbol_events"]
    count = symbol_of(it, symbol)
    assert (count["unbacked"], decided["expr"], decided["result"]) == (True, f"{count['name']} > 2", "True")


def test_a_condition_that_nothing_can_decide(built, root):
    """BranchesOnData: x.sum().item() > 0."""
    it = dtrace(root, built, "fixture0")
    (error,) = it.table("data_dependent_errors")
    assert error["expr"] == error["unhinted_expr"]
    assert error["expr"].endswith(" > 0.0")
    assert symbol_of(it, error["symbol_events"][0])["unbacked"] is True
    assert event_of(it, error["expression_event"]).metadata["expression_created"]["result"] == error["expr"]


# Records written by hand, from torch 2.13.


def test_every_attempt_and_every_trace_has_its_own_symbols(log_of):
    it = log_of(
        log("""
        dynamo_start 0/0 {}
        create_symbol 0/0 {"symbol": "s0", "val": "4", "vr": "[2, int_oo]", "source": "L['x'].size()[0]"}
        guard_added_fast 0/0 {"expr": "s0 > 3"}
        create_symbol 0/0_1 {"symbol": "s0", "val": "4", "vr": "[2, int_oo]", "source": "L['x'].size()[0]"}
        create_symbol 0/0_1 {"symbol": "s01", "val": "5", "vr": "[2, int_oo]", "source": "L['x'].size()[1]"}
        guard_added_fast 0/0_1 {"expr": "s01*s0 > s0"}
        create_symbol 1/0 {"symbol": "s0", "val": "9", "vr": "[2, int_oo]", "source": "L['y'].size()[0]"}
        guard_added_fast 0/0_1 {"expr": "Eq(s0, 4)"}
        guard_added_fast 1/0 {"expr": "s0 + s01 > s9"}
        dynamo_start 0/0 {}
        guard_added_fast 0/0 {"expr": "s0 < 0"}
        """)
    )
    guards = it.table("symbol_guards")
    assert [row["symbol_events"] for row in guards] == [[1], [4, 3], [3], [6], []]
    assert [(row["compile"], row["attempt"]) for row in guards] == [
        ("0/0", 0),
        ("0/0", 1),
        ("0/0", 1),
        ("1/0", 0),
        ("0/0@2", 0),
    ]
    assert [row["event"] for row in it.table("symbols")] == [1, 3, 4, 6]


def test_guards_that_only_look_like_two_records_of_one_stay_two(log_of):
    it = log_of(
        log("""
        guard_added 0/0 {"expr": "s0 > 3", "prefix": "eval"}
        guard_added_fast 0/0 {"expr": "s0 > 4"}
        guard_added_fast 0/0 {"expr": "s0 > 4"}
        guard_added 0/0 {"expr": "s0 > 5", "prefix": "eval"}
        guard_added_fast 1/0 {"expr": "s0 > 5"}
        create_symbol 0/0 {"symbol": "s1"}
        guard_added_fast 0/0 {"expr": "s0 > 5"}
        """)
    )
    assert [(row["event"], row["pair_event"]) for row in it.table("symbol_guards")] == [
        (n, None) for n in (0, 1, 2, 3, 4, 6)
    ]


def test_guards_of_many_compiles_stay_in_the_order_of_the_log(log_of):
    """The last guard of a compile could get a second record at any time; the others must not wait for it."""
    count = 600
    first = [f'guard_added {n}/0 {{"expr": "s{n} > 1", "prefix": "eval"}}' for n in range(count)]
    late = 'guard_added_fast 0/0 {"expr": "s0 > 1"}'  # far too late
    soon = f'guard_added_fast {count - 1}/0 {{"expr": "s{count - 1} > 1"}}'
    rows = log_of(log("\n".join([*first, late, soon]))).table("symbol_guards")
    assert [(row["event"], row["pair_event"]) for row in rows] == [
        *((n, None) for n in range(count - 1)),
        (count - 1, count + 1),
        (count, None),
    ]


def test_real_values_without_dtrace_and_with_it(log_of):
    frames = ", ".join(f'{{"line": {number}, "name": "f", "filename": 0}}' for number in range(1, 6))
    it = log_of(
        log(f"""
        str ["a.py", 0]
        propagate_real_tensors 0/0 {{"expr": "u0 > 2", "result": "True", "stack": [{frames}]}}
        propagate_real_tensors_provenance 0/0 {{"expr": "u0 > 2", "result": "True", "expr_node_id": 5, "frame_locals": {{"loc": "if n > 2:", "locals": {{"n": "u0"}}}}, "stack": [{{"line": 5, "name": "f", "filename": 0}}]}}
        propagate_real_tensors 0/0 {{"expr": "u1 > 2", "result": "False"}}
        """)
    )  # fmt: skip
    first, second = it.table("symbol_values")
    assert (first["event"], first["pair_event"], first["result"], first["context"]) == (1, 2, "True", 0)
    assert len(it.stack(first["stack"])) == 5
    assert (second["event"], second["pair_event"], second["context"]) == (3, None, None)
    # torch 2.6 wrote one text for a variable, 2.13 writes a list:
    assert it.table("symbol_contexts") == [
        {"id": 0, "loc": "if n > 2:", "locals": {"n": ["u0"]}, "symbol_sources": {}}
    ]


def test_values_of_the_wrong_kind_become_text_and_a_diagnostic(log_of, found):
    deep = '{"guard_added": {"expr": ' + "[" * 90 + "1" + "]" * 90 + "}}"
    data = log("""
        create_symbol 0/0 {"symbol": 7, "val": null, "vr": "", "source": ["L"], "stack_index": 3, "stack": "?"}
        guard_added 0/0 {"expr": null, "frame_locals": [1], "symbol_to_sources": "x", "expr_node_id": [1]}
        guard_added_fast 0/0 []
        symbolic_shape_specialization 0/0 {"symbol": ["s0"], "sources": {"a": 1}}
        guard_on_data_dependent_error 0/0 {"expr_id": true}
        propagate_real_tensors_provenance 0/0 {"expr": "u0", "frame_locals": {"locals": {"n": 3, "m": [null, 4, {"a": []}]}, "loc": 9}}
        """)
    it = log_of(data + raw_record(deep) + record("create_unbacked_symbol", stack=5))
    assert [(row["name"], row["source"], row["range"]) for row in it.table("symbols")] == [
        ("7", '["L"]', None),
        (None, None, None),
    ]
    assert it.table("symbol_contexts") == [
        {"id": 0, "loc": "9", "locals": {"n": ["3"], "m": [None, "4", '{"a":[]}']}, "symbol_sources": {}}
    ]
    assert len(it.table("symbol_guards")) == 2
    assert [code for code, *_ in found(it) if code == "table-parse"] == ["table-parse"] * 7


def test_long_texts_are_cut_but_searched(log_of):
    it = log_of(
        record('create_symbol 0/0 {"symbol": "s0"}')
        + record("guard_added_fast 0/0 " + json.dumps({"expr": "1 + " * 1000 + "s0"}))
        + record(
            "guard_added 0/0 "
            + json.dumps(
                {
                    "expr": "x",
                    "frame_locals": {"locals": {f"v{n}": ["é" * 3000, *["x"] * 299] for n in range(300)}},
                }
            )
        )
    )
    first, second = it.table("symbol_guards")
    assert (len(first["expr"]), first["expr"][-1], first["symbol_events"]) == (2000, "…", [0])
    local = it.table("symbol_contexts")[second["context"]]["locals"]
    assert (len(local), {len(leaves) for leaves in local.values()}, len(local["v0"][0])) == (200, {200}, 2000)


def test_a_log_without_symbols_has_empty_tables(log_of):
    it = log_of(log("dynamo_start 0/0"))
    assert it.table("symbols") == it.table("symbol_guards") == it.table("symbol_contexts") == []
