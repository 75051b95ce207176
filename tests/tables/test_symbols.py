"""Symbols of dynamic shapes: what the program of a fixture makes, and records written by hand."""

import json

from log_builder import log, raw_record, record


def rows(table, part):
    """The rows of a part, as objects; what indexes strings is the text."""
    texts = {"name", "value", "range", "source", "expr", "prefix", "result", "unhinted_expr", "reason"}
    strings = [*table["strings"], None]
    columns = table[part]
    out = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    for row in out:
        row |= {name: strings[row[name]] for name in texts & row.keys()}
        if "sources" in row:
            row["sources"] = [strings[number] for number in row["sources"]]
    return out


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


def of_compile(log, compile_id, part):
    (index,) = (compile.index for compile in log.compiles if compile.id == compile_id)
    return [row for row in rows(log.table("symbols"), part) if row["compile_index"] == index]


def test_a_guard_says_which_symbol_it_is_about_and_where_it_comes_from(built, root):
    """guarded: x.shape[0] > 3, called with 6."""
    it = dynamic_shapes(root, built)
    (symbol,) = of_compile(it, "1/0", "symbols")
    assert (symbol["value"], symbol["source"], symbol["unbacked"]) == ("6", "L['x'].size()[0]", 0)
    (guard,) = of_compile(it, "1/0", "guards")
    assert guard["expr"] == f"{symbol['name']} > 3"
    assert [rows(it.table("symbols"), "symbols")[row] for row in guard["symbol_index"]] == [symbol]
    assert lines(it, guard["user_stack_index"])[-1] == "if x.shape[0] > 3:"
    assert (guard["pair_event_index"], guard["context_index"], guard["prefix"]) == (-1, -1, None)


def test_a_specialization_names_the_symbol_that_became_a_constant(built, root):
    it = dynamic_shapes(root, built)
    (special,) = of_compile(it, "0/0", "specializations")
    assert (special["value"], special["reason"]) == ("7", "range_refined_to_singleton")
    assert "L['x'].size()[1]" in special["sources"]
    symbol = rows(it.table("symbols"), "symbols")[special["symbol_index"]]
    assert (symbol["name"], symbol["value"], symbol["source"]) == (special["name"], "7", "L['x'].size()[1]")


def test_unbacked_symbols_have_no_value_and_no_source(built, root):
    """unbacked: item() and nonzero(), with torch._check(n >= 2) and torch._check(n < 100)."""
    it = dynamic_shapes(root, built)
    symbols = [row for row in of_compile(it, "2/0", "symbols") if row["unbacked"]]
    assert [(row["value"], row["source"]) for row in symbols] == [(None, None), (None, None)]
    checks = [row["expr"].replace(symbols[0]["name"], "n") for row in of_compile(it, "2/0", "guards")]
    assert checks == ["n >= 2", "n < 100"]


def test_the_two_records_of_a_guard_are_one_row(built, root):
    """Plain: x.shape[0] * 2 > 5, exported with TORCH_DTRACE."""
    it = dtrace(root, built, "fixture0")
    table = it.table("symbols")
    (guard,) = rows(table, "guards")
    kinds = [event_of(it, guard[name]).type for name in ("event_index", "pair_event_index")]
    assert kinds == ["guard_added", "guard_added_fast"]
    assert guard["prefix"] == "eval"
    context = table["contexts"][guard["context_index"]]
    assert context["loc"] == "return x.sin() * x.shape[0] if x.shape[0] * 2 > 5 else x"
    (symbol,) = context["symbol_sources"]
    assert guard["expr"] == f"2*{symbol} > 5"
    assert context["symbol_sources"] == {symbol: "L['x'].size()[0]"}
    assert context["locals"]["x"][0].startswith(f"Tensor(shape: torch.Size([{symbol}])")
    assert lines(it, guard["user_stack_index"])[-1] == context["loc"]  # of guard_added: guard_added_fast has none
    assert len(lines(it, guard["stack_index"])) > 3  # of guard_added_fast
    assert event_of(it, guard["expression_event_index"]).metadata["expression_created"]["result"] == guard["expr"]


def test_a_real_value_that_decided_a_condition(built, root):
    """draft_export of: count = y.max().item(); if count > 2."""
    it = dtrace(root, built, "fixture1")
    (decided,) = rows(it.table("symbols"), "real_values")
    (symbol,) = decided["symbol_index"]
    count = rows(it.table("symbols"), "symbols")[symbol]
    assert (count["unbacked"], decided["expr"], decided["result"]) == (1, f"{count['name']} > 2", "True")


def test_a_condition_that_nothing_can_decide(built, root):
    """BranchesOnData: x.sum().item() > 0."""
    it = dtrace(root, built, "fixture0")
    (error,) = rows(it.table("symbols"), "data_dependent_errors")
    assert error["expr"] == error["unhinted_expr"]
    assert error["expr"].endswith(" > 0.0")
    assert rows(it.table("symbols"), "symbols")[error["symbol_index"][0]]["unbacked"] == 1
    assert event_of(it, error["expression_event_index"]).metadata["expression_created"]["result"] == error["expr"]


# Records written by hand, after facts about torch 2.13.


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
    assert [row["symbol_index"] for row in rows(it.table("symbols"), "guards")] == [[0], [2, 1], [1], [3], []]
    compiles = [it.compiles[row["compile_index"]].key for row in rows(it.table("symbols"), "guards")]
    assert compiles == ["0/0", "0/0_1", "0/0_1", "1/0", "0/0@2"]


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
    assert [(row["event_index"], row["pair_event_index"]) for row in rows(it.table("symbols"), "guards")] == [
        (n, -1) for n in (0, 1, 2, 3, 4, 6)
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
    table = it.table("symbols")
    first, second = rows(table, "real_values")
    assert (first["event_index"], first["pair_event_index"], first["result"]) == (1, 2, "True")
    assert len(it.stack(first["stack_index"])) == 5
    assert (second["event_index"], second["pair_event_index"], second["context_index"]) == (3, -1, -1)
    # torch 2.6 wrote one text for a variable, 2.13 writes a list:
    assert table["contexts"] == [{"loc": "if n > 2:", "locals": {"n": ["u0"]}, "symbol_sources": {}}]


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
    table = it.table("symbols")
    assert [(row["name"], row["source"], row["range"]) for row in rows(table, "symbols")] == [("7", '["L"]', None), (None, None, None)]
    assert table["contexts"] == [{"loc": "9", "locals": {"n": ["3"], "m": [None, "4", '{"a":[]}']}, "symbol_sources": {}}]
    assert len(rows(table, "guards")) == 2
    assert [code for code, *_ in found(it) if code == "table-parse"] == ["table-parse"] * 7


def test_long_texts_are_cut_but_searched(log_of):
    it = log_of(
        record('create_symbol 0/0 {"symbol": "s0"}')
        + record("guard_added_fast 0/0 " + json.dumps({"expr": "1 + " * 1000 + "s0"}))
        + record(
            "guard_added 0/0 " + json.dumps({"expr": "x", "frame_locals": {"locals": {f"v{n}": ["é" * 3000, *["x"] * 299] for n in range(300)}}})
        )
    )
    table = it.table("symbols")
    first, second = rows(table, "guards")
    assert (len(first["expr"]), first["expr"][-1], first["symbol_index"]) == (2000, "…", [0])
    local = table["contexts"][second["context_index"]]["locals"]
    assert (len(local), {len(leaves) for leaves in local.values()}, len(local["v0"][0])) == (200, {200}, 2000)


def test_a_log_without_symbols_has_the_table(log_of):
    table = log_of(log("dynamo_start 0/0")).table("symbols")
    assert all(not any(part.values()) for part in table.values() if type(part) is dict)
