"""Tensor parallel ranks of vLLM: each holds a part of the vocabulary, which is not a fault."""

import pytest
from tlparse_bundle.statements.ranks.graph_findings import numbers_differ


def test_different_vocabulary_bounds_are_not_a_warning(built, root):
    (row,) = built(root / "fixtures" / "vllm" / "llama-tp2-cold").rank_table("rank_findings")
    assert (row["kind"], row["severity"]) == ("rank-numbers", "info")
    assert "l_input_ids_ >= 256` instead of" in row["text"] and "depends on the rank" in row["text"]


@pytest.mark.parametrize(
    ("here", "others", "expected"),
    [
        ('ge: "b8[s72]" = x >= 256', 'ge: "b8[s72]" = x >= 0', True),
        ('y: "f32[33, 512]" = x + 1', 'y: "f32[32, 512]" = x + 2', False),
        ("y = x + 1", "y = x - 1", False),
        ("y_1 = x + 1", "y_2 = x + 1", False),
        (None, "y = x", False),
    ],
)
def test_numbers_are_distinguished_from_shapes_and_names(here, others, expected):
    assert numbers_differ({"here": here, "others": others}) is expected


def test_a_missing_line_has_no_number():
    assert numbers_differ(None) is False
