"""The newest values stay, up to a number of bytes."""

from tlparse_bundle.base.recent_cache import Newest


def kept(newest, keys="abcd"):
    return {key: value for key in keys if (value := newest.get(key)) is not None}


def test_the_oldest_values_go_first():
    newest = Newest(10)
    for number, key in enumerate("abcd"):
        newest.add(key, number, 4)
    assert kept(newest) == {"c": 2, "d": 3}


def test_values_may_take_all_bytes_and_no_more():
    newest = Newest(10)
    newest.add("a", 1, 4)
    newest.add("b", 2, 6)
    assert kept(newest) == {"a": 1, "b": 2}
    newest.add("c", 3, 11)
    assert kept(newest) == {"a": 1, "b": 2}
    newest.add("d", 4, 10)
    assert kept(newest) == {"d": 4}


def test_a_value_that_is_added_again_is_the_newest_and_counts_once():
    newest = Newest(10)
    newest.add("a", 1, 4)
    newest.add("b", 2, 4)
    newest.add("a", 3, 6)
    assert kept(newest) == {"a": 3, "b": 2}
    newest.add("c", 4, 1)
    assert kept(newest) == {"a": 3, "c": 4}
