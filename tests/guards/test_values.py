"""Inputs of a call, as text and as JSON."""

import pytest
from tlparse_bundle import BundleError
from tlparse_bundle.guards.values import (
    JsonDict,
    JsonList,
    Named,
    Tensor,
    contiguous,
    from_json,
    parse_call,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=3", {"x": 3}),
        (" x = 3 , y = 'a, b' ,", {"x": 3, "y": "a, b"}),
        ("x=[1, (2, 3)], y={'a': 1, 'b': 2}", {"x": [1, (2, 3)], "y": {"a": 1, "b": 2}}),
        (r"x='it\'s, x', y=1", {"x": "it's, x", "y": 1}),
        (r"x='\\', y=1", {"x": "\\", "y": 1}),
        ("x='a\"b', y=\"c'd, (\"", {"x": 'a"b', "y": "c'd, ("}),
        ("x=torch.float32, y=None", {"x": Named("torch.float32"), "y": None}),
        ("x=f32[]", {"x": Tensor((), (), "torch.float32", None, False)}),
        ("x=i64[2, 0, 3]", {"x": Tensor((2, 0, 3), (3, 3, 1), "torch.int64", None, False)}),
        (
            "x=bf16[2, 3][1, 2]cuda:0 requires_grad, n=1",
            {"x": Tensor((2, 3), (1, 2), "torch.bfloat16", "cuda:0", True), "n": 1},
        ),
    ],
)
def test_text(text, expected):
    assert parse_call(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not an input"),
        ("3", "'3' is not an input"),
        ("=3", "'=3' is not an input"),
        ("x=", "'' is not an input"),
        ("x=y", "'y' is not an input"),
        ("x=1,,y=2", "is not an input"),
        ("x=f31[2]", "unknown dtype 'f31' in 'f31\\[2\\]'"),
        ("x=f32[2, 3][1]", "has 2 sizes and 1 strides"),
        ("x=" + "9" * 101 + "a", "'" + "9" * 100 + "' is not an input"),
    ],
)
def test_text_that_is_not_a_call(text, message):
    with pytest.raises(BundleError, match=message) as raised:
        parse_call(text)
    assert (raised.value.code, raised.value.exit_code) == ("bad-call", 2) and raised.value.hint


@pytest.mark.parametrize(
    "tensor",
    ["f32[8, 4][4, 1]", "f32[8, 4][1, 8]cuda:0", "i64[][]", "f32[2][1]cpu requires_grad"],
)
def test_a_tensor_is_written_as_it_is_read(tensor):
    assert str(parse_call(f"x={tensor}")["x"]) == tensor


def test_a_tensor_of_which_little_is_known():
    assert str(Tensor((2,))) == "?[2]" and str(Tensor((2,), None, "torch.odd")) == "torch.odd[2]"


def test_strides_of_a_contiguous_tensor():
    assert contiguous((2, 3, 4)) == (12, 4, 1) and contiguous((2, 0, 3)) == (3, 3, 1)
    assert contiguous(()) == ()


def test_json():
    call = from_json(
        {
            "x": {
                "size": [2, 3],
                "stride": [1, 2],
                "dtype": "f16",
                "device": "cuda:1",
                "requires_grad": True,
                "class": "Parameter",
                "object": 7,
                "marks": {"dynamic": [0, 1]},
                "base": {"size": [6]},
            },
            "y": {"size": [4], "dtype": "torch.float64"},
            "z": {"size": [1], "base": 3},
            "list": [1, {"a": {"size": [2]}}],
        }
    )
    assert call["x"] == Tensor(
        (2, 3),
        (1, 2),
        "torch.float16",
        "cuda:1",
        True,
        "Parameter",
        7,
        (("dynamic", (0, 1)),),
        Tensor((6,), (1,)),
    )
    assert call["y"] == Tensor((4,), (1,), "torch.float64")
    assert call["z"] == Tensor((1,), (1,))
    assert isinstance(call["list"], JsonList) and isinstance(call["list"][1], JsonDict)
    assert call["list"] == [1, {"a": Tensor((2,), (1,))}]


@pytest.mark.parametrize(
    "value",
    [
        {"size": 3},
        {"size": [True]},
        {"size": [2], "stride": 1},
        {"size": [2], "stride": [1.0]},
        {"size": [2], "stride": [1, 1]},
        {"size": [2], "stride": []},
        {"size": [2], "marks": [0]},
        {"size": [2], "marks": {"dynamic": 0}},
    ],
)
def test_json_that_is_not_a_tensor(value):
    with pytest.raises(BundleError, match="is not an input of a call"):
        from_json({"x": value})
