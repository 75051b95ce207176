"""Expressions: rows that refer to rows."""

import json

from log_builder import log, record


def tree(rows, event):
    """Return an expression written out: (method, result, children); what the log does not define is '?'."""
    if event is None:
        return "?"
    (row,) = (row for row in rows if row["event"] == event)
    return row["method"], row["result"], [tree(rows, child) for child in row["argument_events"]]


def event_of(it, event_index):
    return next(event for event in it.events() if event.index == event_index)


def test_the_condition_of_a_draft_export_goes_back_to_its_symbol(built, root):
    """ForDraft: count = y.max().item(); if count > 2."""
    (it,) = (log for log in built(root / "fixtures" / "export_dtrace" / "trace").logs if log.id == "fixture1")
    rows = it.table("expressions")
    (row,) = (row for row in rows if row["method"] is not None)
    method, result, ((leaf_method, symbol, leaf_children),) = tree(rows, row["event"])
    assert (method, result, leaf_method, leaf_children) == ("gt", f"{symbol} > 2", None, [])
    assert row["arguments"] == [symbol, "2"]
    assert event_of(it, row["event"]).type == "expression_created"
    assert it.stack(row["user_stack"])[-1]["code"] == "if count > 2:"


def test_rows_refer_back_and_are_in_the_order_of_the_log(built, root):
    for it in built(root / "fixtures" / "export_dtrace" / "trace").logs:
        events = [row["event"] for row in it.table("expressions")]
        assert events == sorted(set(events)) != []
        arguments = [
            (row["event"], argument)
            for row in it.table("expressions")
            for argument in row["argument_events"]
            if argument is not None
        ]
        assert all(argument < event and argument in events for event, argument in arguments)


def test_the_tree_of_the_public_export_log(built, shared_traces):
    """As in tlparse: eight expressions, from u0 to the condition."""
    (it,) = built(shared_traces / "single" / "export.log").logs
    rows = it.table("expressions")
    node, methods = tree(rows, rows[-1]["event"]), []
    assert node[1] == "Eq((((-u0)//3)) + 5, 0)"
    while node[2]:
        methods.append(node[0])
        (node,) = node[2]
    assert methods == ["eq", "int_floordiv", "sub", "add", "sub", "add", "int_floordiv", "neg"]
    assert node == (None, "u0", [])


# Records written by hand, from torch 2.13.


def created(method, result, result_id, *argument_ids):
    return (
        f'expression_created {{"method": "{method}", "result": "{result}", "result_id": {result_id},'
        f' "arguments": [], "argument_ids": {json.dumps(argument_ids)}}}\n'
    )


def test_an_id_means_the_newest_object_before(log_of):
    it = log_of(
        log(
            'create_unbacked_symbol {"symbol": "u0", "node_id": 10}\n'
            + created("neg", "-u0", 11, 10)
            + created("add", "later", 12, 11, 13)
            + created("neg", "again", 10, 10)
            + created("mul", "own", 11, 11)
            + created("sub", "both", 14, 11, 10)
        )
    )
    assert [row["argument_events"] for row in it.table("expressions")] == [
        [],
        [0],
        [1, None],
        [0],
        [1],
        [4, 3],
    ]


def test_ids_above_2_to_the_53_are_distinguished(log_of):
    big = 2**63 + 2**60
    it = log_of(log(created("a", "a", big) + created("b", "b", big + 1) + created("c", "c", 3, big + 1, big)))
    assert it.table("expressions")[2]["argument_events"] == [1, 0]


def test_values_of_the_wrong_kind_still_give_rows(log_of, found):
    it = log_of(
        record(
            'expression_created {"method": 3, "result_id": [1], "arguments": "x", "argument_ids": {"a": 1}}'
        )
        + record("expression_created []")
        + record(
            'expression_created {"method": "m", "result": "r", "result_id": true, "arguments": [null, {}],'
            ' "argument_ids": [true, null, 1.5, [1]]}'
        )
        + record(
            "expression_created "
            + json.dumps(
                {"method": "m", "result": "r" * 3000, "arguments": ["a"] * 500, "argument_ids": [1] * 500}
            )
        )
    )
    first, second, third = it.table("expressions")
    assert (first["argument_events"], second["arguments"], second["argument_events"]) == (
        [],
        [None, "{}"],
        [None] * 4,
    )
    assert len(third["arguments"]) == len(third["argument_events"]) == 100
    assert len(third["result"]) == 2000
    assert [row[0] for row in found(it)] == ["table-parse"] * 2
