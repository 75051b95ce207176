"""Tensor parallel ranks of vLLM: each holds a part of the vocabulary, which is not a fault."""

import pytest
from tlparse_bundle.statements.ranks.comparable_text import without_constants


def test_different_vocabulary_bounds_are_not_a_warning(built, root):
    (row,) = built(root / "fixtures" / "vllm" / "llama-tp2-cold").rank_table("rank_findings")
    assert (row["kind"], row["severity"]) == ("rank-numbers", "info")
    assert "l_input_ids_ >= 256` instead of" in row["text"] and "depends on the rank" in row["text"]


@pytest.mark.parametrize(
    ("here", "others", "expected"),
    [
        (b'ge: "b8[s72]" = x >= 256', b'ge: "b8[s72]" = x >= 0', True),
        (b'y: "f32[33, 512]" = x + 1', b'y: "f32[32, 512]" = x + 2', False),
        (b"y = x + 1", b"y = x - 1", False),
        (b"y_1 = x + 1", b"y_2 = x + 1", False),
        (b'y: "f32[8]" = x[1:3]; z: "f32[8]" = y', b'y: "f32[8]" = x[0:2]; z: "f32[8]" = y', True),
    ],
)
def test_constants_are_distinguished_from_sizes_and_names(here, others, expected):
    assert (without_constants(here) == without_constants(others)) is expected
