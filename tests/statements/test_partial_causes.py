"""Findings of fixtures/versions/programs/partial_causes.py."""

import pytest
from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

COUNTED = "This would avoid"


@pytest.fixture
def found(rows):
    return rows("partial_causes")


def test_a_key_of_an_attribute_is_no_length(found):
    (fix,) = advice(of(found, "`forward` recompiled once: `self.cache` now has the key `(4, 4)`"))
    assert fix.startswith("Set the keys of `self.cache` before the first call, or keep the code that uses it")


def test_guards_of_one_tensor_with_numbers_in_its_name_are_apart(found):
    row = of(found, "`forward` recompiled once: `x.size(0)` changed from `4` to `6`")
    assert "`[0/1]`, also failed on `x.size(1)`. The log" in row["text"] and "hasattr" not in row["text"]


def test_inference_mode_is_near_to_calls_without_gradients(found):
    of(found, "`scored` recompiled once: grad mode was turned off")
    row = of(
        found,
        "`scored` recompiled once: the dispatch keys of `x` changed from `ADInplaceOrView, AutogradCPU`",
    )
    assert row["text"].endswith(
        "The nearest cache entry, `[1/1]`, also failed on the dispatch keys of `weight`."
    )
    assert advice(row)[0].endswith("`torch.inference_mode` needs a separate compile.")


def test_a_tensor_without_gradients_follows_from_the_grad_mode(found):
    row = of(found, "`activated` recompiled twice: grad mode was turned on and off")
    assert "in `[2/2]`, the nearest cache entry, `[2/1]`, also failed on tensor `raw`." in row["text"]


def test_several_items_that_some_calls_lack_can_cost_what_the_same_keys_save(found):
    row = of(found, "`smoothed` recompiled twice: `thresholds` now has the key `'low'`")
    assert row["text"].endswith("`[3/1]`, also failed on `not ___dict_contains('high', thresholds)`.")
    assert COUNTED not in " ".join(advice(row))


def test_code_after_a_break_has_guards_that_count_without_it(found):
    row = of(
        found, "`drawn` recompiled once: `type(generator)` changed from `torch._C.Generator` to `NoneType`"
    )
    assert COUNTED not in " ".join(advice(row))


def test_more_than_a_state_changed(found):
    row = of(found, "recompiled once: grad mode was turned on, and more changed")
    assert "also failed on `self.scales == (2, 3)`" in row["text"]
    assert not [row for row in found if "`scored`" in row["title"] and "and more changed" in row["title"]]


def test_the_stride_of_a_dimension_of_size_1_is_no_cause(found):
    row = of(found, "`widened` recompiled once: `rows.size(0)` changed to `1`")
    assert row["text"].startswith("Guard failure: `2 <= rows.size()[0]`.")
