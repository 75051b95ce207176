"""Numbers by compile key are those that a dict would have."""

from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from tlparse_bundle.base.key_numbers import KeyNumbers

KEYS = st.one_of(
    st.from_regex(r"\A(!\d{1,3}/)?\d{1,8}/\d{1,4}(@\d)?(_\d)?\Z"), st.text(max_size=20), st.just("0")
)


@cases(50)
@given(pairs=st.lists(st.tuples(KEYS, st.integers(0, 2**31 - 1)), max_size=300), most=st.integers(1, 40))
def test_key_numbers_are_those_of_a_dict(pairs, most):
    numbers, expected = KeyNumbers(most), {}
    for key, number in pairs:
        assert numbers.get(key) == expected.get(key)
        numbers[key] = expected[key] = number
    assert {key: numbers.get(key) for key in expected} == expected
    assert numbers.get("4711/0@9") == expected.get("4711/0@9")


def test_many_key_numbers():
    numbers = KeyNumbers()
    keys = [f"{frame}/{compile}" for frame in range(20_000) for compile in range(3)]
    for number, key in enumerate(keys):
        assert numbers.setdefault(key, number) == number
    assert [numbers.setdefault(key, -1) for key in keys] == list(range(len(keys)))
    assert numbers.get("20000/0") is None


def test_a_number_is_found_wherever_it_is_kept():
    """Among the newest ones, in the arrays, and of a text that is not a compile key."""
    for most in (1, 2, 4):
        numbers = KeyNumbers(most)
        assert numbers.get("0/0") is None and numbers.get("none") is None
        for number, key in enumerate(("0/0", "a text", "1/0", "!0/1/2@3_4")):
            numbers[key] = number
        assert [numbers.get(key) for key in ("0/0", "a text", "1/0", "!0/1/2@3_4", "2/0", "text")] == [
            *range(4),
            None,
            None,
        ]
        numbers["0/0"] = 9
        numbers["a text"] = 8
        assert [numbers.get(key) for key in ("0/0", "a text", "1/0")] == [9, 8, 2]


def test_keys_that_share_a_place_are_kept_apart():
    """The last place of the arrays is followed by the first."""
    numbers = KeyNumbers(1)
    keys = [f"{frame}/0" for frame in range(9_800)]  # as many as the first arrays take
    for number, key in enumerate(keys):
        numbers[key] = number
    assert [numbers.get(key) for key in keys] == list(range(len(keys)))
