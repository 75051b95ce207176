"""The tables of recompiles: the fixture checked against its program; followers, resets and texts without a
fixture.
"""

import json

import pytest
from log_builder import log, record, span
from tlparse_bundle.statements.derived_tables import remedy
from tlparse_bundle.tables.text.guard_failures import parse_reason, read_reasons


def reasons_of(it, row):
    return [reason for reason in it.table("recompile_reasons") if reason["event"] == row["event"]]


@pytest.fixture(scope="session")
def fixture_log(built, root):
    (it,) = built(root / "fixtures/recompiles/trace").logs
    return it


@pytest.fixture(scope="session")
def truth(root):
    (known,) = json.loads((root / "fixtures/recompiles/truth.json").read_text())["logs"].values()
    return known


def test_the_recompiles_of_the_program(fixture_log, truth):
    rows, reasons = fixture_log.table("recompiles"), fixture_log.table("recompile_reasons")
    expected = truth["facts"]["guard_failures"]
    assert [row["compile"] for row in rows + fixture_log.table("limits")] == list(expected)
    for key, texts in expected.items():
        failed = [reason for reason in reasons if reason["compile"] == key]
        assert [f"{reason['entry']}: {reason['guard']}" for reason in failed] == texts
        assert [(reason["attempt"], reason["position"]) for reason in failed] == [
            (0, position) for position in range(len(texts))
        ]
    assert {(row["attempt"], row["follows"], row["text"]) for row in rows} == {(0, None, None)}
    events = {event.index for event in fixture_log.events(name="recompile_reasons")}
    assert list(dict.fromkeys(reason["event"] for reason in reasons)) == sorted(events)
    assert [row["event"] for row in rows] == sorted(events)[:-1]  # the last is in 'limits'


def test_what_changed(fixture_log):
    first = [reason for reason in fixture_log.table("recompile_reasons") if reason["position"] == 0]
    assert [
        tuple(reason[key] for key in ("source", "change", "dimension", "expected", "actual"))
        for reason in first
    ] == [
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
    (reason,) = (reason for reason in fixture_log.table("recompile_reasons") if reason["compile"] == "1/1")
    assert (reason["file"], reason["line"], reason["function"]) == (
        "/home/user/project/program.py",
        18,
        "flagged",
    )
    assert (
        reason["source_line"] == (root / "fixtures/recompiles/program.py").read_text().split("\n")[17].strip()
    )
    assert reason["user_traceback"].startswith('  File "/home/user/project/program.py", line 18, in flagged')


def test_the_history_of_each_function(fixture_log, truth):
    codes = fixture_log.table("code_objects")
    assert [(code["function"], code["compiles"]) for code in codes] == [
        ("grows", ["0/0", "0/1"]),
        ("flagged", ["1/0", "1/1"]),
        ("any_dtype", ["2/0", "2/1", "2/2"]),
        ("limited", ["3/0", "3/1", "3/2", "3/3", "3/4"]),
    ]
    assert [code["limit_compile"] for code in codes] == [None, None, None, "3/4"]
    assert [code["id"] for code in codes] == [0, 1, 2, 3]
    assert [row["code_object"] for row in fixture_log.table("recompiles")] == [0, 1, 2, 2, 3, 3, 3]


def test_the_causes(fixture_log):
    causes = fixture_log.table("recompile_causes")
    assert [
        (
            cause["source"],
            cause["change"],
            cause["dimension"],
            cause["values"],
            cause["count"],
            cause["remedy"],
        )
        for cause in causes
    ] == [
        ("x", "size", 0, [4, 5], 1, "mark_dynamic"),
        ("flag", "flag", None, ["False"], 1, "few_values"),
        ("x", "dtype", None, ["Float", "Double", "Int"], 2, "same_dtype"),
        ("x", "size", 0, [2, 3, 4, 5], 3, "mark_dynamic"),
    ]
    assert [cause["compiles"] for cause in causes] == [
        ["0/1"],
        ["1/1"],
        ["2/1", "2/2"],
        ["3/1", "3/2", "3/3"],
    ]
    assert [cause["id"] for cause in causes] == [0, 1, 2, 3]
    assert [row["cause"] for row in fixture_log.table("recompiles")] == [0, 1, 2, 2, 3, 3, 3]


def test_resume_functions_of_two_branches_are_two_code_objects(built, root):
    (it,) = built(root / "fixtures/graph_breaks/trace").logs
    assert (
        it.table("recompiles")
        == it.table("recompile_causes")
        == it.table("recompile_reasons")
        == it.table("limits")
        == []
    )
    codes = {code["frame_id"]: code for code in it.table("code_objects")}
    branches = [codes[8], codes[9]]
    assert {code["function"] for code in branches} == {"torch_dynamo_resume_in_branches_on_tensor_at_36"}
    assert [code["resumes"] for code in branches] == [7, 7]
    assert codes[10]["compiles"] == ["10/0"]  # the attempts of a compile are one


def test_a_reset_begins_new_code_objects(built, root):
    (it,) = built(root / "fixtures/dynamo_reset/trace").logs
    assert [
        (code["frame_id"], code["function"], code["compiles"]) for code in it.table("code_objects")[:4]
    ] == [
        (0, "by_rank_of_tensor", ["0/0"]),
        (1, "only_before", ["1/0"]),
        (0, "by_rank_of_tensor", ["0/0@2"]),
        (1, "only_after", ["1/0@2"]),
    ]


# Hand-made from here on. The stacks are those of torch 2.13 for such programs, without the two innermost
# callers.


def compiled(compile_id, function, line, callers=(), reasons=None, *, breaks=None):
    """Return the records of one compile in a.py: reasons, dynamo_start, a graph break with the frames that
    lead to it.
    """
    out = b"" if reasons is None else record(f"artifact:recompile_reasons {compile_id}", payload=reasons)
    stack = [{"filename": 0, "line": at, "name": name} for name, at in (*callers, (function, line))]
    out += record(f"dynamo_start {compile_id} {json.dumps({'stack': stack})}")
    if breaks:
        frames = "\n".join(f'  File "a.py", line {at}, in {name}' for name, at in breaks)
        text = (
            f"Graph break in user code at a.py:{breaks[-1][1]}\nGraph Break Reason: print\n\nUser code"
            f" traceback:\n{frames}\n\nNoneType: None"
        )
        out += record(f"artifact:dynamo_graph_break_reason {compile_id}", payload=text)
    return out


STR = record('str ["a.py", 0]')
MAIN = ("<module>", 90)


def size(compile_id, source="x", expected=4, actual=5):
    return f"{compile_id}: tensor '{source}' size mismatch at index 0. expected {expected}, actual {actual}"


def dtype(compile_id, actual="Double"):
    return f"{compile_id}: tensor 'x' dtype mismatch. expected Float, actual {actual}"


def followed(it):
    """Return the leader of each recompile, by position."""
    rows = it.table("recompiles")
    compiles = [row["compile"] for row in rows]
    return [None if row["follows"] is None else compiles.index(row["follows"]) for row in rows]


RESUMES = (
    compiled("0/0", "f", 1)
    + compiled("1/0", "torch_dynamo_resume_in_f_at_3", 3, [MAIN])
    + compiled("2/0", "torch_dynamo_resume_in_f_at_5", 5, [MAIN, ("compile_wrapper", 1)])
)


def test_resume_functions_recompile_with_their_function(log_of):
    it = log_of(
        STR + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        # of an intermediate tensor
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/0", "y", 8, 10))
        + compiled("2/1", "torch_dynamo_resume_in_f_at_5", 5, [MAIN, ("compile_wrapper", 1)], size("2/0"))
        + compiled("0/2", "f", 1, reasons=dtype("0/1"))
        + compiled("1/2", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/1"))
    )  # fmt: skip
    assert followed(it) == [None, 0, 1, None, 3]
    causes = it.table("recompile_causes")
    assert [(cause["change"], cause["count"], cause["follower_count"]) for cause in causes] == [
        ("size", 1, 2),
        ("dtype", 1, 1),
    ]
    assert [cause["compiles"] for cause in causes] == [["0/1"], ["0/2"]]
    assert [row["cause"] for row in it.table("recompiles")] == [0, 0, 0, 1, 1]
    assert [code["resumes"] for code in it.table("code_objects")] == [None, 0, 0]


def test_another_change_is_a_root_cause_of_its_own(log_of):
    it = log_of(
        STR + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/0"))
        + compiled("0/2", "f", 1, reasons=dtype("0/1", "Half"))
        + compiled("1/2", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], dtype("1/1", "Double"))
    )  # fmt: skip
    assert followed(it) == [None] * 4


def test_a_recompile_in_a_later_call_is_a_root_cause(log_of):
    it = log_of(
        STR + RESUMES + compiled("3/0", "g", 20)
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("3/1", "g", 20, reasons=size("3/0"))  # f has returned
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/0"))
    )  # fmt: skip
    assert followed(it) == [None, None, None]


def test_a_resume_function_that_recompiles_again_does_so_in_a_later_call(log_of):
    it = log_of(
        STR + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + compiled("1/1", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/0"))
        + compiled("1/2", "torch_dynamo_resume_in_f_at_3", 3, [MAIN], size("1/1", "y", 7, 3))
        + compiled("2/1", "torch_dynamo_resume_in_f_at_5", 5, [MAIN, ("compile_wrapper", 1)], size("2/0"))
    )  # fmt: skip
    assert followed(it) == [None, 0, None, 2]


def test_a_resume_function_of_another_function_of_that_name_is_not_meant(log_of):
    other = record(
        'dynamo_start 4/1 {"stack": [{"filename": 1, "line": 9, "name": "m"}, {"filename": 1, "line": 3,'
        ' "name": "torch_dynamo_resume_in_f_at_3"}]}'
    )
    it = log_of(
        STR + record('str ["b.py", 1]') + RESUMES
        + compiled("0/1", "f", 1, reasons=size("0/0"))
        + record("artifact:recompile_reasons 4/1", payload=size("4/0")) + other
    )  # fmt: skip
    assert followed(it) == [None, None]


def test_a_function_that_was_inlined_before_the_break_follows(log_of):
    broken = [("<module>", 90), ("outer", 31), ("inner", 35)]
    it = log_of(
        STR + compiled("0/0", "outer", 30) + compiled("1/0", "inner", 34, [MAIN])
        + compiled("0/1", "outer", 30, reasons=size("0/0"), breaks=broken)
        + compiled("1/1", "inner", 34, [MAIN], size("1/0"), breaks=[("<module>", 90), ("inner", 35)])
        + compiled("2/1", "torch_dynamo_resume_in_inner_at_35", 35, [MAIN, ("compile_wrapper", 1)], size("2/0"))
        + compiled("3/1", "torch_dynamo_resume_in_outer_at_31", 31, [MAIN], size("3/0"))
    )  # fmt: skip
    assert followed(it) == [None, 0, 1, 0]


def test_whole_stacks_show_who_called(log_of):
    """As in torch 2.6, where the stack has all callers."""
    it = log_of(
        STR + compiled("0/1", "outer", 30, [MAIN], size("0/0"))
        + compiled("1/1", "helper", 50, [MAIN, ("outer", 31)], size("1/0"))
        + compiled("2/1", "other", 60, [MAIN], size("2/0"))
    )  # fmt: skip
    assert followed(it) == [None, 0, None]


def test_a_failed_guard_belongs_to_the_newest_compile_of_that_id(log_of):
    def opened(compile_id):  # the span that starts each compile in a real log
        return span("dynamo", "B", 1.7e15, compile_id)

    again = (
        opened("0/0") + compiled("0/0", "f", 1) + opened("0/1") + compiled("0/1", "f", 1, reasons=size("0/0"))
    )
    it = log_of(
        STR
        + again
        + again
        + opened("0/2")
        + compiled("0/2", "f", 1, reasons=json.dumps([size("0/1"), size("0/0")]))
    )
    assert [[reason["entry"] for reason in reasons_of(it, row)] for row in it.table("recompiles")] == [
        ["0/0"],
        ["0/0@2"],
        ["0/1@2", "0/0@2"],
    ]
    assert [code["compiles"] for code in it.table("code_objects")] == [
        ["0/0", "0/1"],
        ["0/0@2", "0/1@2", "0/2"],
    ]


@pytest.mark.parametrize(("before", "entry"), [(b"", None), (compiled("0/0", "f", 1), "0/0")])
def test_reasons_in_the_metrics_only(before, entry, log_of):
    it = log_of(
        before + log(f'compilation_metrics 0/1 {{"co_name": "f", "recompile_reason": "{size("0/0")}"}}')
    )
    (row,), (reason,) = it.table("recompiles"), it.table("recompile_reasons")
    assert (
        (row["event"], row["compile"])
        == (reason["event"], reason["compile"])
        == (it.directory["event_count"] - 1, "0/1")
    )
    assert [reason[key] for key in ("entry", "change", "dimension", "expected", "actual")] == [
        entry,
        "size",
        0,
        4,
        5,
    ]


def test_error_on_recompile_has_its_reasons_in_the_message(log_of):
    message = (
        "Recompiling function rec in a.py:83\n    triggered by the following guard failure(s):\n    -"
        f" {size('0/1')}\n    - {size('0/0')}"
    )
    failed = record(
        f"compilation_metrics 0/2 {json.dumps({'fail_type': 'RecompileError', 'fail_reason': message})}"
    )
    it = log_of(compiled("0/0", "f", 1) + compiled("0/1", "f", 1) + failed)
    assert it.table("recompiles") == it.table("recompile_causes") == []  # torch did not begin it
    assert [(row["compile"], row["kind"]) for row in it.table("limits")] == [("0/2", "error_on_recompile")]
    assert [(reason["compile"], reason["entry"]) for reason in it.table("recompile_reasons")] == [
        ("0/2", "0/1"),
        ("0/2", "0/0"),
    ]


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
    failed = record(
        f"compilation_metrics 0/1 {json.dumps({'fail_type': fail_type, 'fail_reason': fail_reason})}"
    )
    it = log_of(
        compiled("0/0", "f", 1) + record("artifact:recompile_reasons 0/1", payload=size("0/0")) + failed
    )
    assert [row["compile"] for row in it.table("limits")] == ["0/1"] * limit
    assert [row["compile"] for row in it.table("recompiles")] == ["0/1"] * (not limit)
    assert len(it.table("recompile_causes")) == (not limit)
    assert [reason["compile"] for reason in it.table("recompile_reasons")] == ["0/1"]
    assert it.table("code_objects")[0]["limit_compile"] == ("0/1" if limit else None)


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
        ("not l", "l", ("length", None, 0, None), "same_structure"),
        ("TYPE_MISMATCH(d)", "d", ("type", None, None, None), "same_type"),
        ("___dict_contains('a', k)", "k", ("keys", None, "'a'", None), "same_structure"),
        ("not ___dict_contains('a', k)", "k", ("keys", None, "not 'a'", None), "same_structure"),
        ("list(dict.keys(k)) == ['a']", "k", ("keys", None, "['a']", None), "same_structure"),
        ("KeyError on k['a']", "k['a']", ("keys", None, None, None), "same_structure"),
        ("___check_type_id(y, 140), type=<class 'float'>", "y", ("type", None, "<class 'float'>", None), "same_type"),
        ("CodeGuardAccessor: Not a function on f.__code__", "f.__code__", ("type", None, None, None), "same_type"),
        ("___check_obj_id(fn, 139870659812992)", "fn", ("identity", None, None, None), "same_object"),
        (
            "___check_obj_id(aug.axis, 140158295697232), type=<Axis.X: (1, 2)>",
            "aug.axis", ("identity", None, None, None), "same_object",
        ),
        ("___check_obj_id(d[(1, 2)], 14)", "d[(1, 2)]", ("identity", None, None, None), "same_object"),
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
    assert reason["entry"] == "12/3"
    assert (
        reason["source"],
        tuple(reason[key] for key in ("change", "dimension", "expected", "actual")),
        remedy(reason),
    ) == (source, change, key)


def test_the_place_in_a_comment():
    reason = parse_reason(
        "!0/1/2: 4 <= x.size()[0]  # if x.shape[0] > 3: x = x*2  # rb/p1.py:35 in dyn"
        " (_dynamo/variables/tensor.py:2606 in evaluate_expr)"
    )
    assert (reason["entry"], reason["guard"]) == ("!0/1/2", "4 <= x.size()[0]")
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
    "text",
    [
        "",
        "no id here",
        "[1]",
        "[[[[",
        '[\n"0/0: a",\n"0/1: ',
        "99999999999999999999/0: x",
        "0/0/0/0: x",
        "{}",
        "\x00" * 1000,
    ],
)
def test_a_payload_that_is_not_understood_is_kept(text, log_of, found):
    it = log_of(record("artifact:recompile_reasons 0/1", payload=text))
    (row,) = it.table("recompiles")
    assert row["text"] == text
    assert [code for code, *_ in found(it)] == ["table-parse"]


def test_reasons_without_compile_id(log_of):
    it = log_of(record("artifact:recompile_reasons", payload=size("0/0")))
    assert [(row["compile"], row["code_object"]) for row in it.table("recompiles")] == [
        (None, None)
    ] and it.table("code_objects") == []
    assert [cause["compiles"] for cause in it.table("recompile_causes")] == [[None]]


@pytest.mark.parametrize("value", ["null", "[]", "{}", "1", "true", '"x"'])
def test_values_of_wrong_types_do_no_harm(value, log_of):
    names = ("co_name", "co_filename", "co_firstlineno", "recompile_reason", "fail_type", "fail_reason")
    metrics = ", ".join(f'"{name}": {value}' for name in names)
    it = log_of(
        log(
            f'dynamo_start 0/0 {{"stack": {value}}}\n compilation_metrics 0/0 {{{metrics}}}\n dynamo_start'
            f' !1/0/0_2 {{"stack_index": {value}}}'
        )
    )
    assert it.table("code_objects")


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
def test_long_texts_take_linear_time(text):
    assert len(parse_reason(text)["guard"]) <= 20_000
