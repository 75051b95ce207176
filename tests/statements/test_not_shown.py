"""What a recompile may need besides, which the log does not show: values that the new compile has no guard on."""

from findings_of_programs import of, rows  # noqa: F401 - rows is a fixture


def test_a_value_that_the_new_compile_does_not_read_may_have_changed(rows):
    row = of(rows("other_words"), "`loss` recompiled once: `kind`")
    assert row["text"].endswith("The log does not show whether `smoothing` changed, too.")


def test_what_follows_from_a_change_is_not_said_to_be_unknown(rows):
    """The keys of the list are other ones; the dict by which the call looks them up has no guard on its own."""
    row = of(rows("other_states"), "`collated` recompiled once: `len(keys)`")
    assert "whether `batch['box']` and `batch['class']` changed, too." in row["text"]
    assert "`keys[1]`" not in row["text"]


def test_it_is_said_of_few_recompiles(rows):
    found = [row for row in rows("nearest_states") if row["kind"] == "recompile"]
    assert len(found) > 3 and not any("does not show whether `" in row["text"] for row in found)


def test_functions_of_python_stay_the_same(rows):
    """The guards on `len` have another name in each compile, and fail in none."""
    row = of(rows("second_reasons"), "`len(stats)`")
    assert "`[22/0]`, failed only on this guard." in row["text"]


def test_states_of_several_recompiles_have_one_direction(rows):
    row = of(rows("nearest_states"), "`ranked` recompiled twice")
    assert row["title"].endswith("grad mode was turned off")
