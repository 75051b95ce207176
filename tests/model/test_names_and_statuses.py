"""Names of resume functions, and the order of statuses."""

import pytest
from tlparse_bundle.model.compiles import statuses
from tlparse_bundle.model.functions import function_of, resume_function


@pytest.mark.parametrize(
    ("name", "function", "line"),
    [
        ("torch_dynamo_resume_in_forward_at_12", "forward", 12),
        ("torch_dynamo_resume_in_f_at_3_ORIGINAL_BYTECODE", "f", 3),
        ("<resume in f>", "f", None),
    ],
)
def test_a_resume_function(name, function, line):
    parts = resume_function(name)
    assert (parts.function, parts.line) == (function, line)
    assert parts.before + parts.function + parts.after == name


@pytest.mark.parametrize("name", [None, "", "forward", "resume_in_f_at_3", "torch_dynamo_resume_in_f"])
def test_other_names_stay(name):
    assert resume_function(name) is None and function_of(name) == name


def test_a_function_that_resumes_twice():
    assert function_of("torch_dynamo_resume_in_torch_dynamo_resume_in_f_at_3_at_9") == "f"


def test_statuses_have_one_order():
    rows = [{"status": status} for status in ("unfinished", "ok", "failed", "ok")]
    assert [*statuses(rows).items()] == [("ok", 2), ("failed", 1), ("unfinished", 1)]


def test_the_parts_of_a_name_are_what_is_around_the_function():
    assert resume_function("torch_dynamo_resume_in_f_at_3_MODIFIED_BYTECODE") == (
        "torch_dynamo_resume_in_",
        "f",
        "_at_3_MODIFIED_BYTECODE",
        3,
    )
    assert resume_function("<resume in f>") == ("<resume in ", "f", ">", None)
