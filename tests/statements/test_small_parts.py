"""Words about ranks, times, settings and places that many sentences share."""

from types import SimpleNamespace

import pytest
from tlparse_bundle.statements.ranks.rank_sets import are_moved, grouped, odd_groups, within
from tlparse_bundle.statements.ranks.wording import (
    all_ranks,
    are,
    call_text,
    function_text,
    long_time,
    numbers,
    ranks_text,
    size,
    when,
)
from tlparse_bundle.statements.runs.check.limits import (
    CACHE_MISSES,
    COMPILE_TIME,
    FAILURES,
    RECOMPILES,
    time_us,
)
from tlparse_bundle.statements.settings import setting_words, settings_of
from tlparse_bundle.statements.source_places import Shortener, is_of_program, where
from tlparse_bundle.statements.statement import root_of, with_consequences
from tlparse_bundle.statements.user_code import is_in_users_hands, own_place, package_of, user_place

# ---- ranks


@pytest.mark.parametrize(
    ("runs", "expected", "count"),
    [
        ([], "no rank", 0),
        ([[2, 2]], "rank 2", 1),
        ([[0, 1]], "ranks 0 and 1", 2),
        ([[0, 2]], "ranks 0–2", 3),
        ([[0, 1], [3, 511]], "ranks 0, 1 and 3–511", 511),
        ([[0, 0], [2, 2], [4, 4], [6, 6]], "ranks 0, 2, 4 and 6", 4),
        ([[0, 0], [2, 2], [4, 4], [6, 8]], "ranks 0, 2, 4 and 6–8", 6),
        ([[0, 0], [2, 2], [4, 4], [6, 6], [8, 9]], "ranks 0, 2, 4 and 3 more", 6),
        ([[0, 1], [3, 4], [6, 2005]], "ranks 0, 1, 3 and 2,001 more", 2004),
    ],
)
def test_ranks_in_words(runs, expected, count):
    assert ranks_text(runs) == expected and size(runs) == count
    assert numbers(runs) == expected.partition(" ")[2] or not runs


def test_words_for_one_and_many():
    assert [all_ranks(count) for count in (2, 3, 1)] == ["Both ranks", "All 3 ranks", "All 1 rank"]
    assert [are(count) for count in (0, 1, 2)] == ["are", "is", "are"]


@pytest.mark.parametrize(
    ("us", "expected"),
    [
        (14_900_000, "14.9 s"),
        (7_199_000_000, "119 min 59 s"),
        (7_200_000_000, "2.0 h"),
        (47 * 3_600_000_000, "47.0 h"),
        (48 * 3_600_000_000, "2 days"),
        (1000 * 24 * 3_600_000_000, "1,000 days"),
    ],
)
def test_long_times(us, expected):
    assert long_time(us) == expected


def test_moments_are_in_utc():
    assert when(1_772_330_400_000_000) == "2026-03-01 02:00:00 UTC"


def test_names_of_functions():
    assert function_text("torch_dynamo_resume_in_f_at_12") == "`f, resumed at line 12`"
    assert (
        function_text("<resume in f>") == "`<resume in f>`" and function_text(None) == "`(unknown function)`"
    )


def call(**cells):
    return {"op": "all_reduce", **dict.fromkeys(("reduce_op", "dtype", "shape", "root", "group")), **cells}


def test_calls_in_words():
    assert call_text(call()) == "`all_reduce`"
    assert call_text(call(reduce_op="sum", dtype="f32", shape=[16, 8], root=0, group="0")) == (
        "`all_reduce` (sum) of f32 (16, 8) from rank 0 in group `0`"
    )
    assert (
        call_text(call(shape=[])) == "`all_reduce` of ()"
        and call_text(call(dtype="f32")) == "`all_reduce` of f32"
    )


def test_sets_that_are_moved():
    assert are_moved([[0, 1], [2, 3]]) and are_moved([[0, 2], [1, 3]]) and are_moved([[0]])
    assert not are_moved([[0, 1], [2, 4]]) and not are_moved([[0, 1], [2]])


def test_ranges_within_others():
    assert within([[1, 2]], [[0, 0], [1, 3]]) and within([], [])
    assert not within([[1, 4]], [[1, 3]]) and not within([[0, 2]], [[1, 3]]) and not within([[5, 5]], [])


def test_groups_begin_with_the_largest():
    assert grouped([("a", [3]), ("b", [1]), ("c", [5, 2]), ("b", [0])]) == [
        ("b", [0, 1]),
        ("c", [2, 5]),
        ("a", [3]),
    ]
    assert grouped([("a", [3]), ("b", [1])]) == [("b", [1]), ("a", [3])]


def test_many_groups_are_joined():
    groups = [{"ranks": [[rank, rank]]} for rank in range(13)]
    assert [(row["ranks"], more) for row, _, more in odd_groups(groups[:12])] == [
        ([[n, n]], {}) for n in range(1, 12)
    ]
    assert [*odd_groups(groups)] == [(groups[1], [[1, 12]], {"group_count": 12})]


# ---- limits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", 90_000_000),
        ("90", 90_000_000),
        ("1.5min", 90_000_000),
        ("800 ms", 800_000),
        (" 2h ", 7_200_000_000),
    ],
)
def test_durations(text, expected):
    assert time_us(text) == expected


@pytest.mark.parametrize("text", ["", "s", "-1s", "1d", "1e3", "1,5s", "٣s"])
def test_other_texts_are_not_durations(text):
    with pytest.raises(ValueError, match="is not a duration"):
        time_us(text)


def test_amounts_of_a_log():
    summary = {"failure_count": 1, "unfinished_count": 2, "export_failure_count": 3, "recompile_count": None}
    assert FAILURES.of(summary) == 6 and RECOMPILES.of(summary) is None
    assert FAILURES.of({**summary, "failure_count": None}) is None
    caches = {"a": {"hit": 5, "miss": 2}, "b": {"hit": 0, "miss": 1}}
    assert CACHE_MISSES.of({"cache_counts": caches}) == 3
    assert COMPILE_TIME.of({"compile_us": None, "compile_count": 0}) == 0
    assert COMPILE_TIME.of({"compile_us": None, "compile_count": 1}) is None
    assert (FAILURES.words(1), FAILURES.words(2)) == ("1 failure", "2 failures")
    assert COMPILE_TIME.words(1_500_000) == "1.5 s of compile time"


# ---- settings


def test_settings_of_the_first_compile():
    configs = [
        {
            "field": "inductor_config",
            "base": None,
            "value": {"a": True, "cache_dir": "/x", "b.port": 1, "c": "/p/q/r.py"},
        },
        {"field": "inductor_config", "base": None, "value": {"a": False}},
        {"field": "dynamo_config", "base": 0, "value": {"d": 1}},
        {"field": "functorch_config", "base": None, "value": None},
    ]
    assert settings_of(configs) == {"inductor_config": {"a": "true", "c": '"r.py"'}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("true", "`a` on"),
        ("false", "`a` off"),
        ("1", "`a` `1`"),
        ("x" * 40, f"`a` `{'x' * 40}`"),
        ("x" * 41, "`a` `…`"),
    ],
)
def test_settings_in_words(value, expected):
    assert setting_words("a", value) == expected


# ---- places


@pytest.mark.parametrize(
    ("file", "package"),
    [
        ("/home/me/train.py", None),
        ("<eval_with_key>.3", None),
        (None, None),
        ("/env/lib/python3.11/site-packages/transformers/a/b.py", "transformers"),
        ("/env/lib/python3.11/site-packages/six.py", "six"),
        ("/usr/lib/python3.11/json/decoder.py", "Python"),
        ("/src/torch/_dynamo/x.py", "torch"),
        ("C:\\env\\Lib\\site-packages\\timm\\x.py", "timm"),
    ],
)
def test_packages_of_files(file, package):
    assert package_of(file) == package
    assert file is None or is_of_program(file) == (package is None and not file.startswith("<"))


def problem(file, *frames):
    lines = [
        f'  File "{name}", line {number}, in {function}\n    {function}()\n'
        for name, number, function in frames
    ]
    return {
        "function": "f",
        "file": file,
        "line": 7,
        "source_line": "x()",
        "user_traceback": "".join(lines) or None,
    }


LIBRARY = "/env/site-packages/lib/x.py"


def test_the_line_of_the_user_that_led_to_a_problem():
    own = problem("/me/a.py", ("/me/b.py", 1, "g"))
    assert user_place(own) == own_place(own) and is_in_users_hands(own) and own_place(own).inside is None
    inner = problem(LIBRARY, ("/me/a.py", 1, "<module>"), ("/me/b.py", 2, "g"), (LIBRARY, 7, "f"))
    assert user_place(inner)[:4] == ("g", "/me/b.py", 2, "g()") and own_place(inner).inside == "lib"
    assert is_in_users_hands(inner)
    deeper = problem(LIBRARY, ("/me/a.py", 1, "<module>"), (LIBRARY, 6, "e"), (LIBRARY, 7, "f"))
    assert user_place(deeper)[:3] == (None, "/me/a.py", 1) and not is_in_users_hands(deeper)
    alone = problem(LIBRARY, (LIBRARY, 7, "f"))
    assert user_place(alone) == own_place(alone) and not is_in_users_hands(alone)
    assert user_place(problem(None, ("/me/b.py", 2, "g"))).file == "/me/b.py"


def test_paths_without_their_shared_folders():
    short = Shortener(["/home/me/app/train.py", "/home/me/app/nets/mlp.py", "<string>", None])
    assert short("/home/me/app/nets/mlp.py") == "nets/mlp.py" and short("/home/me/app/train.py") == "train.py"
    assert (
        short("/env/site-packages/lib/x.py") == "lib/x.py" and short("/src/torch/nn/x.py") == "torch/nn/x.py"
    )
    assert (
        short("/usr/lib/python3.11/json/x.py") == "python3.11/json/x.py"
        and short("/other/x.py") == "/other/x.py"
    )
    assert (
        short.place("/home/me/app/train.py", 3) == "train.py:3"
        and short.place("/home/me/app/train.py", None) == "train.py"
    )
    assert short.place(None, 3) is None and Shortener([])("/a/b.py") == "/a/b.py"
    assert short.text("<f at 0x7f00000000> in /home/me/app/train.py") == "<f> in train.py"


def test_places_of_findings():
    assert where({"file": "a.py", "line": 3}) == "a.py:3" and where({"file": "a.py", "line": None}) == "a.py"
    assert where({"file": None, "line": 3}) is None


# ---- causes


def test_the_first_cause():
    causes = {1: 0, 2: 1, 5: 6, 6: 5}
    assert [root_of(number, causes) for number in (0, 1, 2, 3)] == [0, 0, 0, 3]
    assert root_of(5, causes) == 6


def test_consequences_follow_their_cause():
    rows = [
        SimpleNamespace(id=id, because=because)
        for id, because in ((1, None), (2, 1), (3, 1), (4, None), (5, 1))
    ]
    found = with_consequences([{"id": row.id, "because_of": row.because} for row in rows])
    assert [is_consequence for _, is_consequence in found] == [False, True, True, False, False]
