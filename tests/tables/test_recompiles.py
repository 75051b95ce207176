"""The table of recompiles: the fixture against its program; cascades, resets and texts that it does not have."""

import json

import pytest
from log_builder import log, record, span
from tlparse_bundle.tables.guard_text import parse_reason, read_reasons, remedy


def table(it):
    return it.table("recompiles")


def keys(it, indexes):
    return [it.compiles[index].key for index in indexes]


@pytest.fixture(scope="session")
def fixture_log(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    return it


@pytest.fixture(scope="session")
def truth(root):
    (known,) = json.loads((root / "fixtures/recompiles/truth.json").read_text())["logs"].values()
    return known


def test_the_recompiles_of_the_program(fixture_log, truth):
    rows = table(fixture_log)["recompiles"]
    expected = truth["facts"]["guard_failures"]
    assert keys(fixture_log, [row["compile_index"] for row in rows]) == list(expected)
    for row, reasons in zip(rows, expected.values()):
        assert [f"{reason['failed_compile_id']}: {reason['guard']}" for reason in row["reasons"]] == reasons
        assert keys(fixture_log, [reason["failed_compile_index"] for reason in row["reasons"]]) == [
            reason.split(":")[0] for reason in reasons
        ]
        assert (row["caused_by"], row["text"]) == (None, None)
    events = {event.index for event in fixture_log.events(name="recompile_reasons")}
    assert [row["event_index"] for row in rows] == sorted(events)


def test_what_changed(fixture_log):
    changes = [(row["reasons"][0]["source"], *row["reasons"][0]["change"].values()) for row in table(fixture_log)["recompiles"]]
    assert changes == [
        ("x", "size", 0, 4, 5),
        ("flag", "flag", None, "False", None),
        ("x", "dtype", None, "Float", "Double"),
        ("x", "dtype", None, "Double", "Int"),
        ("x", "size", 0, 2, 3),
        ("x", "size", 0, 3, 4),
        ("x", "size", 0, 4, 5),
        ("x", "size", 0, 5, 6),
    ]


def test_a_guard_has_its_source_line(fixture_log, root):
    reason = table(fixture_log)["recompiles"][1]["reasons"][0]
    assert (reason["file"], reason["line"], reason["function"]) == ("/home/user/project/program.py", 18, "flagged")
    assert reason["source_line"] == (root / "fixtures/recompiles/program.py").read_text().split("\n")[17].strip()
    assert reason["user_stack"].startswith('  File "/home/user/project/program.py", line 18, in flagged')


def test_the_history_of_each_function(fixture_log, truth):
    frames = table(fixture_log)["frames"]
    assert [(frame["function"], keys(fixture_log, frame["compile_indexes"])) for frame in frames] == [
        ("grows", ["0/0", "0/1"]),
        ("flagged", ["1/0", "1/1"]),
        ("any_dtype", ["2/0", "2/1", "2/2"]),
        ("limited", ["3/0", "3/1", "3/2", "3/3", "3/4"]),
    ]
    limits = [frame["limit_compile_index"] for frame in frames]
    assert limits[:3] == [None] * 3 and keys(fixture_log, limits[3:]) == ["3/4"]
    assert [row["limit"] for row in table(fixture_log)["recompiles"]] == [False] * 7 + [True]


def test_the_causes(fixture_log):
    causes = table(fixture_log)["causes"]
    assert [(cause["source"], cause["kind"], cause["index"], cause["values"], cause["count"], cause["remedy"]) for cause in causes] == [
        ("x", "size", 0, [4, 5], 1, "mark_dynamic"),
        ("flag", "flag", None, ["False"], 1, "few_values"),
        ("x", "dtype", None, ["Float", "Double", "Int"], 2, "same_dtype"),
        ("x", "size", 0, [2, 3, 4, 5, 6], 4, "mark_dynamic"),
    ]
    assert [cause["recompile_indexes"] for cause in causes] == [[0], [1], [2, 3], [4, 5, 6, 7]]
    assert [row["cause_index"] for row in table(fixture_log)["recompiles"]] == [0, 1, 2, 2, 3, 3, 3, 3]


def test_resume_functions_of_two_branches_are_two_frames(built, root):
    (it,) = built(root / "fixtures/graph_breaks/trace").logs
    assert table(it)["recompiles"] == table(it)["causes"] == []
    frames = {frame["frame_id"]: frame for frame in table(it)["frames"]}
    branches = [frames[8], frames[9]]
    assert {frame["function"] for frame in branches} == {"torch_dynamo_resume_in_branches_on_tensor_at_36"}
    assert [frame["resumes_frame_index"] for frame in branches] == [7, 7]
    assert keys(it, frames[10]["compile_indexes"]) == ["10/0"]  # the attempts of a compile are one


def test_a_reset_begins_new_frames(built, root):
    (it,) = built(root / "fixtures/dynamo_reset/trace").logs
    frames = table(it)["frames"]
    assert [(frame["frame_id"], frame["function"], keys(it, frame["compile_indexes"])) for frame in frames[:4]] == [
        (0, "by_rank_of_tensor", ["0/0"]),
        (1, "only_before", ["1/0"]),
        (0, "by_rank_of_tensor", ["0/0@2"]),
        (1, "only_after", ["1/0@2"]),
    ]


# From here on hand-made. The stacks are those that torch 2.13 wrote for such programs, without the two innermost callers.


def compiled(compile_id, function, line, callers=(), reasons=None, *, breaks=None):
    """The records of one compile in a.py: reasons, dynamo_start, a graph break with the frames that lead to it."""
    out = b"" if reasons is None else record(f"artifact:recompile_reasons {compile_id}", payload=reasons)
    stack = [{"filename": 0, "line": at, "name": name} for name, at in (*callers, (function, line))]
    out += record(f"dynamo_start {compile_id} {json.dumps({'stack': stack})}")
    if breaks:
        frames = "\n".join(f'  File "a.py", line {at}, in {name}' for name, at in breaks)
        text = f"Graph break in user code at a.py:{breaks[-1][1]}\nGraph Break Reason: print\n\nUser code traceback:\n{frames}\n\nNoneType: None"
        out += record(f"artifact:dynamo_graph_break_reason {compile_id}", payload=text)
    return out


STR = record('str ["a.py", 0]')
MAIN = ("<module>", 90)


def size(compile_id, source="x", expected=4, actual=5):
    return f"{compile_id}: tensor '{source}' size mismatch at index 0. expected {expected}, actual {actual}"


def dtype(compile_id, actual="Double"):
    return f"{compile_id}: tensor 'x' dtype mismatch. expected Float, actual {actual}"


def caused(it):
    return [row["caused_by"] for row in table(it)["recompiles"]]


RESUMES = (
    compiled("0/0", "f", 1)
    + compiled("1/0", "torch_dynamo_resume_in_f_at_3", 3, [MAIN])
    + compiled("2/0", "torch_dynamo_resume_in_f_at_5", 5, [MAIN, ("compile_wrapper", 1)])
)


def test_resume_functions_recompile_because_their_function_did(log_of):
    it = log_of(
        STR + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/0", "y", 8, 10))  # of an intermediate tensor
        + compiled("2/1", "torch_dynamo_resume_in_f_at_5", 5, [MAIN, ("compile_wrapper", 1)], size("2/0"))
        + compiled("0/2", "f", 1, reasons=dtype("0/1"))
        + compiled("1/2", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/1"))
    )  # fmt: skip
    assert caused(it) == [None, 0, 1, None, 3]
    causes = table(it)["causes"]
    assert [(cause["kind"], cause["count"], cause["cascade_count"]) for cause in causes] == [("size", 1, 2), ("dtype", 1, 1)]
    assert [row["cause_index"] for row in table(it)["recompiles"]] == [0, 0, 0, 1, 1]
    assert [frame["resumes_frame_index"] for frame in table(it)["frames"]] == [None, 0, 0]


def test_another_change_is_a_root_cause_of_its_own(log_of):
    it = log_of(
        STR + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/0"))
        + compiled("0/2", "f", 1, reasons=dtype("0/1", "Half"))
        + compiled("1/2", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/1", "Double"))
    )  # fmt: skip
    assert caused(it) == [None] * 4


def test_a_recompile_in_a_later_call_is_a_root_cause(log_of):
    it = log_of(
        STR + RESUMES + compiled("3/0", "g", 20)
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("3/1", "g", 20, reasons=size("3/0"))  # f has returned
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/0"))
    )  # fmt: skip
    assert caused(it) == [None, None, None]


def test_a_resume_function_of_another_function_of_that_name_is_not_meant(log_of):
    other = record(
        'dynamo_start 4/1 {"stack": [{"filename": 1, "line": 9, "name": "m"}, {"filename": 1, "line": 3, "name": "torch_dynamo_resume_in_f_at_3"}]}'
    )
    it = log_of(
        STR + record('str ["b.py", 1]') + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + record("artifact:recompile_reasons 4/1", payload=size("4/0")) + other
    )  # fmt: skip
    assert caused(it) == [None, None]


def test_a_function_that_was_inlined_before_the_break_belongs_to_the_cascade(log_of):
    broken = [("<module>", 90), ("outer", 31), ("inner", 35)]
    it = log_of(
        STR + compiled("0/0", "outer", 30) + compiled("1/0", "inner", 34, [MAIN])
        + compiled("0/1", "outer", 30, reasons=size("0/0"), breaks=broken)
        + compiled("1/1", "inner", 34, [MAIN], size("1/0"), breaks=[("<module>", 90), ("inner", 35)])
        + compiled("2/1", "torch_dynamo_resume_in_inner_at_35", 35, [MAIN, ("compile_wrapper", 1)], size("2/0"))
        + compiled("3/1", "torch_dynamo_resume_in_outer_at_31", 31, [MAIN], size("3/0"))
    )  # fmt: skip
    assert caused(it) == [None, 0, 1, 0]


def test_whole_stacks_show_who_called(log_of):
    """As in torch 2.6, where the stack has all callers."""
    it = log_of(
        STR + compiled("0/1", "outer", 30, [MAIN], size("0/0"))
        + compiled("1/1", "helper", 50, [MAIN, ("outer", 31)], size("1/0"))
        + compiled("2/1", "other", 60, [MAIN], size("2/0"))
    )  # fmt: skip
    assert caused(it) == [None, 0, None]


def test_a_failed_guard_belongs_to_the_newest_compile_of_that_id(log_of):
    def opened(compile_id):  # the span that begins each compile in a real log
        return span("dynamo", "B", 1.7e15, compile_id)

    again = opened("0/0") + compiled("0/0", "f", 1) + opened("0/1") + compiled("0/1", "f", 1, reasons=size("0/0"))
    it = log_of(STR + again + again + opened("0/2") + compiled("0/2", "f", 1, reasons=json.dumps([size("0/1"), size("0/0")])))
    rows = table(it)["recompiles"]
    assert [keys(it, [reason["failed_compile_index"] for reason in row["reasons"]]) for row in rows] == [
        ["0/0"],
        ["0/0@2"],
        ["0/1@2", "0/0@2"],
    ]
    assert [keys(it, frame["compile_indexes"]) for frame in table(it)["frames"]] == [["0/0", "0/1"], ["0/0@2", "0/1@2", "0/2"]]


def test_reasons_in_the_metrics_only(log_of):
    it = log_of(log(f'compilation_metrics 0/1 {{"co_name": "f", "recompile_reason": "{size("0/0")}"}}'))
    (row,) = table(it)["recompiles"]
    assert (row["reasons"][0]["failed_compile_id"], row["reasons"][0]["failed_compile_index"]) == ("0/0", None)
    assert row["reasons"][0]["change"] == {"kind": "size", "index": 0, "expected": 4, "actual": 5}


def test_error_on_recompile_has_its_reasons_in_the_message(log_of):
    message = (
        f"Recompiling function rec in a.py:83\n    triggered by the following guard failure(s):\n    - {size('0/1')}\n    - {size('0/0')}"
    )
    it = log_of(record(f"compilation_metrics 0/2 {json.dumps({'fail_type': 'RecompileError', 'fail_reason': message})}"))
    (row,) = table(it)["recompiles"]
    assert [reason["failed_compile_id"] for reason in row["reasons"]] == ["0/1", "0/0"] and not row["limit"]


@pytest.mark.parametrize(
    ("fail_type", "fail_reason", "limit"),
    [
        ("Unsupported", "Dynamo recompile limit exceeded\n  Explanation: …", True),
        ("FailOnRecompileLimitHit", "Hard failure due to fail_on_recompile_limit_hit", True),
        ("CacheLimitExceeded", "cache_size_limit reached", True),
        ("Unsupported", "accumulated_cache_size_limit reached", True),
        ("Unsupported", "Failed to trace\n  Hint: increase recompile_limit", False),
        ("RuntimeError", None, False),
    ],
)
def test_the_recompile_limit(fail_type, fail_reason, limit, log_of):
    failed = record(f"compilation_metrics 0/1 {json.dumps({'fail_type': fail_type, 'fail_reason': fail_reason})}")
    it = log_of(compiled("0/0", "f", 1) + record("artifact:recompile_reasons 0/1", payload=size("0/0")) + failed)
    assert [row["limit"] for row in table(it)["recompiles"]] == [limit]
    assert table(it)["frames"][0]["limit_compile_index"] == (table(it)["recompiles"][0]["compile_index"] if limit else None)


@pytest.mark.parametrize(
    ("guard", "source", "change", "key"),
    [
        ("tensor 'L['x']' size mismatch at index 1. expected 2, actual 3", "L['x']", ("size", 1, 2, 3), "mark_dynamic"),
        ("tensor 'x' stride mismatch at index 0. expected 4, actual 1", "x", ("stride", 0, 4, 1), "same_layout"),
        ("tensor 'x' rank mismatch. expected 1, actual 2", "x", ("rank", None, 1, 2), "same_rank"),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", "x", ("requires_grad", None, 0, 1), "same_grad_mode"),
        ("tensor 'x' Tensor device index mismatch. Expected device index to be 0, actual 1", "x", ("device", None, 0, 1), "same_device"),
        (
            "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, ADInplaceOrView), actual DispatchKeySet(CPU)",
            "x", ("dispatch_keys", None, "DispatchKeySet(CPU, ADInplaceOrView)", "DispatchKeySet(CPU)"), "same_grad_mode",
        ),
        (
            "tensor 'm._parameters['bias']' size mismatch at index 0. expected 2, actual 3. Guard failed on a parameter, consider using …",
            "m._parameters['bias']", ("size", 0, 2, 3), "force_parameter_static_shapes",
        ),
        ("expected type of 'x' to be a tensor type, but found <class 'NoneType'>", "x", ("type", None, "a tensor", "<class 'NoneType'>"), "same_type"),
        ("y is None", "y", ("value", None, "None", None), "few_values"),
        ("y is not None", "y", ("value", None, "not None", None), "few_values"),
        ("n == 3", "n", ("value", None, 3, None), "dynamic_int"),
        ("n == 1.5", "n", ("value", None, "1.5", None), "tensor_argument"),
        ("s == 'a'", "s", ("value", None, "'a'", None), "few_values"),
        ("self.training == True", "self.training", ("flag", None, "True", None), "few_values"),
        ("len(l) == 2", "l", ("length", None, 2, None), "same_structure"),
        ("not l", "l", ("length", None, None, None), "same_structure"),
        ("___dict_contains('a', k)", "k", ("keys", None, "'a'", None), "same_structure"),
        ("not ___dict_contains('a', k)", "k", ("keys", None, "not 'a'", None), "same_structure"),
        ("list(dict.keys(k)) == ['a']", "k", ("keys", None, "['a']", None), "same_structure"),
        ("KeyError on k['a']", "k['a']", ("keys", None, None, None), "same_structure"),
        ("___check_type_id(y, 140), type=<class 'float'>", "y", ("type", None, "<class 'float'>", None), "same_type"),
        ("CodeGuardAccessor: Not a function on f.__code__", "f.__code__", ("type", None, None, None), "same_type"),
        ("___check_obj_id(fn, 139870659812992)", "fn", ("identity", None, None, None), "same_object"),
        ("GLOBAL_STATE changed: grad_mode ", "grad_mode", ("global_state", None, None, None), "same_global_state"),
        ("hasattr(x, '_dynamo_dynamic_indices') == False", "x", ("attribute", None, "'_dynamo_dynamic_indices'", None), None),
        ('Duplicate tensors found: ["x", "y"]', '["x", "y"]', ("aliasing", None, None, None), "no_aliasing"),
        ("BACKEND_MATCH failure: torch.compile detected different backend callables.", None, ("backend", None, None, None), "same_backend"),
        ("x.size()[0] == 4", "x", ("size", 0, 4, None), "mark_dynamic"),
        ("2 <= L['x'].size()[1] <= 3", "L['x']", ("shape", 1, None, None), None),
        (
            "y.size()[0] == x.size()[0]  # duck sizing added this equality because these variables had the same size 5",
            "y", ("shape", 0, None, None), "use_duck_shape",
        ),
        ("Unexpected recompilation: runtime guards failed", None, ("other", None, None, None), None),
    ],
)  # fmt: skip
def test_guards(guard, source, change, key):
    """The texts are from torch 2.13 (torch/_dynamo/guards.py) and torch/csrc/dynamo/guards.cpp."""
    reason = parse_reason(f"12/3: {guard}")
    assert reason["failed_compile_id"] == "12/3"
    assert (reason["source"], tuple(reason["change"].values()), remedy(reason)) == (source, change, key)


def test_the_place_in_a_comment():
    reason = parse_reason(
        "!0/1/2: 4 <= x.size()[0]  # if x.shape[0] > 3: x = x*2  # rb/p1.py:35 in dyn (_dynamo/variables/tensor.py:2606 in evaluate_expr)"
    )
    assert (reason["failed_compile_id"], reason["guard"]) == ("!0/1/2", "4 <= x.size()[0]")
    assert (reason["file"], reason["line"], reason["function"], reason["source_line"]) == (
        "rb/p1.py",
        35,
        "dyn",
        "if x.shape[0] > 3: x = x*2",
    )


def test_forms_of_the_payload():
    assert read_reasons("0/0: x is None") == (["0/0: x is None"], True)
    assert read_reasons("[\n\n]") == ([], True)
    assert read_reasons('[\n"0/0: a",\n"0/1: b"\n]') == (["0/0: a", "0/1: b"], True)
    assert read_reasons('[\n"0/0: a",\n"0/1: b') == (["0/0: a"], False)
    assert read_reasons('[\n"0/0: a"\n]\nmore') == (["0/0: a"], True)
    assert read_reasons("[1, null]") == ([], False)


@pytest.mark.parametrize(
    "text", ["", "no id here", "[1]", "[[[[", '[\n"0/0: a",\n"0/1: ', "99999999999999999999/0: x", "0/0/0/0: x", "{}", "\x00" * 1000]
)
def test_a_payload_that_is_not_understood_is_kept(text, log_of, found):
    it = log_of(record("artifact:recompile_reasons 0/1", payload=text))
    (row,) = table(it)["recompiles"]
    assert row["text"] == text
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_reasons_without_compile_id(log_of):
    it = log_of(record("artifact:recompile_reasons", payload=size("0/0")))
    assert [row["frame_index"] for row in table(it)["recompiles"]] == [None] and table(it)["frames"] == []


@pytest.mark.parametrize("value", ["null", "[]", "{}", "1", "true", '"x"'])
def test_values_of_wrong_types_do_no_harm(value, log_of):
    names = ("co_name", "co_filename", "co_firstlineno", "recompile_reason", "fail_type", "fail_reason")
    metrics = ", ".join(f'"{name}": {value}' for name in names)
    it = log_of(
        log(
            f'dynamo_start 0/0 {{"stack": {value}}}\n compilation_metrics 0/0 {{{metrics}}}\n dynamo_start !1/0/0_2 {{"stack_index": {value}}}'
        )
    )
    assert table(it)["frames"]


@pytest.mark.parametrize(
    "text",
    [
        "0/0: " + "a" * 300_000,
        "0/0: " + " " * 300_000,
        "0/0: tensor '" * 30_000,
        "0/0: " + ", actual " * 40_000,
        "0/0: x  # " + "# " * 200_000 + ":1 in",
    ],
)
def test_long_texts_are_read_without_going_back_and_forth(text):
    assert len(parse_reason(text)["guard"]) <= 20_000
