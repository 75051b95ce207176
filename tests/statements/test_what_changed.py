"""What changed before a recompile, in words, and the fixes that fit."""

import pytest
from log_builder import record
from made_compiles import FILE, compiled, of, size
from tlparse_bundle.statements.guard_changes import laid_out
from tlparse_bundle.tables.text.guard_failures import parse_change


@pytest.fixture
def found(log_of):
    return lambda *parts, **options: log_of(FILE + b"".join(parts), **options)


def keys(before, after):
    return (
        f"0/0: tensor 'L['x']' dispatch key set mismatch. expected DispatchKeySet({before}),"
        f" actual DispatchKeySet({after})"
    )


@pytest.mark.parametrize(
    ("guards", "title"),
    [
        (("0/0: len(L['d']) != 1", "0/1: len(L['d']) != 2"), "`len(d)` had values such as `1` and `2`"),
        (("0/0: TYPE_MISMATCH(L['d'])",), "`type(d)` changed"),
        (("0/0: not L['d']", "0/1: len(L['d']) == 2"), "`len(d)` had values such as `0` and `2`"),
        (("0/0: ___as_tensor(value).item() == 2.0",), "`value` is no longer `2.0`"),
        (("0/0: not ___dict_contains('on', L['f'].__dict__)",), "`f` now has the attribute `on`"),
        (("0/0: len(G['__import___main__'].seen) == 1",), "`len(seen)` is no longer `1`"),
        (("0/0: G['__import_a_dot_b'].c == 1.5",), "`a.b.c` is no longer `1.5`"),
        (("0/0: ___check_torch_function_mode_stack()",), "the torch function modes changed"),
        (
            ("0/0: GLOBAL_STATE changed: grad_mode ", "0/1: GLOBAL_STATE changed: grad_mode num_threads "),
            "`grad_mode` and `num_threads` changed",
        ),
        ((size("0/0", 4, 5), size("0/1", 5, 4)), "`x.size(0)` changed between `4` and `5`"),
        ((size("0/0", 4, 5), size("0/1", 4, 5)), "`x.size(0)` changed from `4` to `5`"),
        (
            ("0/0: ___check_metadata_14004582_c1/0", "0/1: ___check_metadata_14004571_c1/1"),
            "the metadata of a tensor subclass changed",
        ),
        (("0/0: Unexpected recompilation: runtime guards failed",), "torch found no guard that failed"),
        (("0/0: (1.0 + ((-1)*L['m'])) == 0.5",), "`m` changed"),
        (("0/0: 2 <= L['n']",), "`n` changed"),
        ((keys("CPU, Dense", "CPU, Dense, AutocastCPU"),), "autocast for CPU was turned on"),
        ((keys("CPU, AutocastCPU, Dense", "CPU, Dense"),), "autocast for CPU was turned off"),
        (
            (keys("CPU, Dense", "CPU, Dense, Python"),),
            "the dispatch keys of `x` changed from `none` to `Python`",
        ),
    ],
)
def test_what_changed(found, guards, title):
    log = found(compiled("0/0"), *(compiled(f"0/{n}", guard) for n, guard in enumerate(guards, 1)))
    (row,) = of(log, "recompile")
    assert row["title"].split(": ", 1)[1] == title
    assert ("because" in log.summary["text"]) == ("no guard" not in title)


def test_autocast_is_used_always_or_never(found):
    (row,) = of(found(compiled("0/0"), compiled("0/1", keys("CPU", "CPU, AutocastCPU"))), "recompile")
    assert row["remedies"][0]["text"].startswith("Calls with and without autocast need a compile each.")


def test_a_value_that_another_guard_may_have_missed_is_not_counted(found):
    """{"a"}, {"a", "b"}, {"b"}: the third has as many keys as the first."""
    lengths = "0/1: len(L['d']) != 2", "0/0: ___dict_contains('a', L['d'])"
    log = found(compiled("0/0"), compiled("0/1", "0/0: len(L['d']) != 1"), compiled("0/2", *lengths))
    (row,) = of(log, "recompile")
    assert row["title"].endswith("`len(d)` had values such as `1` and `2`")


@pytest.mark.parametrize(
    ("guards", "advice"),
    [
        (("y is None",), "Calls with and without `y` need a compile each."),
        (("n == 'a'", "___check_type_id(n, 1), type=<class 'str'>"), "Pass the same `n`, or move"),
        (("n == 'a'",), "Each value of `n` needs a compile"),
        (("n is None", "n == 1.5"), "Pass the same `n`, or move"),
        (("len(G['seen']) == 1",), "The compiled code uses the global `seen`, so each of its lengths"),
        (("not ___dict_contains(8, G['seen'])",), "The compiled code uses the global `seen`. Set its keys"),
        (("___check_torch_function_mode_stack()",), "Call it under the same torch function modes"),
    ],
)
def test_a_remedy_fits_what_changed(found, guards, advice):
    log = found(compiled("0/0"), *(compiled(f"0/{n}", f"0/{n - 1}: {g}") for n, g in enumerate(guards, 1)))
    (row,) = of(log, "recompile")
    assert row["remedies"][0]["text"].startswith(advice)


def test_the_program_does_not_pass_what_a_function_of_torch_gets(found):
    inside = {"co_filename": "/v/lib/python3.11/site-packages/torch/_dynamo/external_utils.py"}
    other = "0/0: ___check_type_id(L['fn'], 1), type=<class 'torch.nn.modules.container.Sequential'>"
    log = found(compiled("0/0", **inside), compiled("0/1", other, **inside))
    (row,) = of(log, "recompile")
    assert row["title"].endswith("`type(fn)` is no longer `torch.nn.modules.container.Sequential`")
    assert row["remedies"] == []


@pytest.mark.parametrize(("source", "is_marked"), [("y", False), ("___stack0[0]", False), ("x", True)])
def test_only_an_argument_is_marked_before_a_call_that_resumes(found, source, is_marked):
    """f(x) computes y before its graph break; the function that resumes it gets both."""
    resume, size = "torch_dynamo_resume_in_f_at_3", "size mismatch at index 0. expected 4, actual 5"
    tensor = record(
        'describe_tensor 0/0 {"describer_id": 1, "id": 0, "ndim": 1, "dtype": "torch.float32", "device": "cpu",'
        ' "size": [4], "is_leaf": true, "stride": [1], "storage": 0, "view_func": "f"}'
    ) + record('describe_source 0/0 {"describer_id": 1, "id": 0, "source": "L[\'x\']"}')
    log = found(
        compiled("0/0") + tensor,
        compiled("1/0", function=resume),
        compiled("1/1", f"1/0: tensor '{source}' {size}", function=resume),
    )
    (row,) = of(log, "recompile")
    (remedy,) = row["remedies"]
    assert (remedy["code"] == "torch._dynamo.maybe_mark_dynamic(x, 0)") is is_marked
    assert remedy["text"].startswith("Mark the dim" if is_marked else "Use `torch.compile(dynamic=True)`")


def test_a_tensor_that_is_no_longer_a_view(found):
    """`f(base[:4, :5])`, then other sizes, then a tensor of its own: torch 2.13 cannot evaluate the guards of
    `[0/1]` on the base.
    """
    log = found(
        compiled("0/0"),
        compiled("0/1", "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 6"),
        compiled("0/2", "0/1: 'NoneType' object has no attribute 'stride'"),
    )
    (row,) = [row for row in of(log, "recompile") if "view" in row["title"]]
    assert row["title"] == "`f` recompiled once: an input is no longer a view of another tensor"


def test_a_number_that_a_condition_excludes(found):
    (row,) = of(found(compiled("0/0"), compiled("0/1", "0/0: g.count != 1")), "recompile")
    assert row["title"] == "`f` recompiled once: `g.count` changed to `1`"
    assert "Guard failure: `g.count != 1`." in row["text"]


def test_keys_of_dicts_have_short_names(found):
    guard = "list(dict.keys(L['losses']))[0] == 'topic'"
    (row,) = of(found(compiled("0/0"), compiled("0/1", f"0/0: {guard}")), "recompile")
    assert "`list(losses)[0]`" in row["title"]


def test_attempts_of_a_compile_specialize_once(found):
    constants = [
        record(
            f'symbolic_shape_specialization 0/0{attempt} {{"symbol": "s1", "sources": ["L[\'n\']"], "value":'
            ' "1", "reason": "range_refined_to_singleton", "stack": [], "user_stack": []}'
        )
        for attempt in ("", "_1")
    ]
    log = found(compiled("0/0"), *constants)
    (row,) = of(log, "specialization")
    assert row["title"] == "`n` was specialized to 1 in `f`: a different value needs its own compile"


def test_a_number_that_a_later_compile_specializes_was_dynamic(found):
    """n = 2, 3, 5, 1: dynamic from 3 on, and 1 is a constant for another reason."""
    constant = record(
        'symbolic_shape_specialization 0/2 {"symbol": "s1", "sources": ["L[\'n\']"], "value": "1", "reason":'
        ' "range_refined_to_singleton", "stack": [], "user_stack": []}'
    )
    log = found(
        compiled("0/0"), compiled("0/1", "0/0: n == 2"), compiled("0/2", "0/1: 2 <= n <= 6") + constant
    )
    first = next(row for row in of(log, "recompile") if row["details"]["guard"] == "n == 2")
    assert not first["details"]["is_specialized"]
    assert [remedy["text"] for remedy in first["remedies"] if "specialized it" in remedy["text"]] == []


def test_strides_that_follow_from_sizes_in_one_call_only_are_a_memory_layout(built, root):
    (log,) = built(root / "fixtures/calls/mixed").logs
    found = [row for row in log.findings() if "the memory layout of `x` changed" in row["title"]]
    (row,) = [row for row in found if "Guard failure: `x.stride()[0] == x.size()[1]`." in row["text"]]
    (remedy,) = row["remedies"]
    assert "`.contiguous()`. This would avoid 2 of 16 compiles" in remedy["text"]


@pytest.mark.parametrize(
    ("guard", "source", "tensor"),
    [
        ("x.stride()[0] == 3*x.size()[3]*x.size()[2]", "x", "x"),
        ("2*(x[0].size()[3] // 4) != x[0].stride()[0]", "x[0]", "x[0]"),
        ("y.stride()[0] == x.size()[1]", "x", None),
        ("x.size()[0] == x.size()[1]", "x", None),
    ],
)
def test_the_tensors_of_a_condition_on_strides(guard, source, tensor):
    assert parse_change(guard)[0] == source
    assert laid_out(guard) == tensor


@pytest.mark.parametrize(
    ("guard", "source", "expected"),
    [
        ("(1e-05*self.lr) == 1e-07", "self.lr", None),
        ("(a['k'] + 1) == 3", "a['k']", None),
        ("(x*y) == 2", "(x*y)", 2),  # two numbers
        ("(len(x) + 1) == 4", "(len(x) + 1)", 4),
        ("(step % 2) == 0", "(step % 2)", 0),  # many numbers pass
    ],
)
def test_the_only_number_in_the_arithmetic_of_a_condition(guard, source, expected):
    found, change = parse_change(guard)
    assert (found, change["change"], change["expected"]) == (source, "value", expected)
