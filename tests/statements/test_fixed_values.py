"""A cache whose keys are tuples, a module that has a part or None, a number that one value fixes, and strides that
follow from sizes.
"""

from findings_of_programs import advice, of, rows  # noqa: F401 - rows is a fixture

PROGRAM = "fixed_values"


def test_an_item_of_a_tuple_is_the_cause(rows):
    """torch writes `cache[('self', 0)]`, and guards `cache['self', 0]`."""
    row = of(rows(PROGRAM), "`decoded` recompiled once: `cache['self', 0].size(1)` changed from `2` to `3`")
    assert "also failed" not in row["text"]


def test_strides_that_follow_from_sizes_need_no_fix(rows):
    found = rows(PROGRAM)
    texts = [
        *advice(of(found, "`decoded` recompiled once: `cache['self', 0]")),
        *advice(of(found, "`decoded`", "len")),
    ]
    assert texts and not any("memory layout" in text for text in texts)


def test_a_part_of_a_module_is_looked_at(rows):
    """The entry for the block with the pool has no guard on `self.pool`, but on `self._modules['pool']`."""
    row = of(rows(PROGRAM), "`forward` recompiled once: `x.size(2)` changed from `100` to `150`")
    assert "The nearest cache entry, `[1/1]`, failed only on this guard." in row["text"]


def test_a_fixed_value_takes_one_path(rows):
    (text,) = advice(of(rows(PROGRAM), "`train` recompiled once: `self.step` changed from `0` to `1`"))
    assert "`self.step=0` in all calls would avoid at least 2 of 4 compiles" in text
    assert "together with a dynamic `labels.size(1)`, 3 of 4 compiles" in text
