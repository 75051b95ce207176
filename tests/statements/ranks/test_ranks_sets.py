"""Sets of ranks as ranges of numbers; the order of the logs does not matter."""

import traces
from tlparse_bundle import build, discover
from tlparse_bundle.statements.ranks.rank_sets import gaps, ranges, ranks_among, ranks_in


def test_sets_of_ranks():
    assert ranges([5, 1, 0, 3, 4, 1]) == [[0, 1], [3, 5]]
    assert ranks_in([[0, 1], [3, 5]]) == [0, 1, 3, 4, 5]
    assert ranges([]) == [] and ranks_in([]) == []
    assert ranks_among([[0, 1], [3, 2**60]], [1, 2, 3, 9]) == [1, 3, 9]
    assert gaps([3, 1, 3], 5) == [[0, 0], [2, 2], [4, 4]]
    assert gaps([0, 1], 2) == gaps([0, 7], 1) == gaps([], 0) == []
    assert gaps([], 3) == [[0, 2]]


def test_analyses_do_not_depend_on_workers_or_order(tmp_path, root):
    logs = discover([root / "fixtures" / "ranks4" / "trace"])
    for name, options in (("one", {"jobs": 1}), ("three", {"jobs": 3})):
        build(logs if name == "one" else logs[::-1], tmp_path / name, **options)
    assert traces.files(tmp_path / "one" / "ranks") == traces.files(tmp_path / "three" / "ranks")
