"""Findings about kernels, in a log of a program on a GPU."""

import pytest


@pytest.fixture(scope="session")
def found(built, root):
    (it,) = built(root / "fixtures" / "cuda" / "kernels.log.zst").logs
    return it.findings()


def test_a_kernel_that_triton_refuses_is_named_with_its_error(found):
    (row,) = (row for row in found if row["kind"] == "failure")
    assert row["title"] == (
        "`broken` failed to compile: InductorError: Triton cannot compile `broken_kernel`:"
        " NameError('undefined_name is not defined')"
    )
    assert row["text"].startswith("def broken_kernel(a, out, n, BLOCK: tl.constexpr):")
    assert row["text"].endswith("+ undefined_name)\n" + " " * 47 + "^")


def test_a_candidate_that_needs_too_much_shared_memory(found):
    """torch calls it OutOfMemoryError, which reads like memory of the GPU."""
    texts = [row["text"] for row in found if row["kind"] == "autotune"]
    assert any(
        "1 candidate did not compile: not enough shared memory on the GPU (1)." in text for text in texts
    )
