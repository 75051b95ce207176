"""Answers have as many rows as fit, and say how many are left out and where to go on."""

import pytest
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.mcp import answers
from tlparse_bundle.mcp.answers import answer, cut, matches, short, size_of, span_sums


def test_a_text_is_cut_beyond_its_limit():
    assert cut("x" * 300) == "x" * 300
    assert cut("x" * 301) == "x" * 300 + "… (1 more characters)"
    assert cut("x" * 2001, 1) == "x… (2,000 more characters)"


def test_lists_and_objects_are_cut_at_any_depth():
    assert short([*range(20)]) == [*range(20)]
    assert short([*range(21)]) == [*range(20), "… 1 more"]
    twenty = {str(number): number for number in range(20)}
    assert short(twenty) == twenty
    assert short({**twenty, "last": 1}) == {**twenty, "…": "1 more"}
    assert short({"k" * 101: ["abc"]}, 2) == {
        "k" * 100 + "… (1 more characters)": ["ab… (1 more characters)"]
    }


def test_rows_fill_the_room_that_is_left(monkeypatch):
    monkeypatch.setattr(answers, "MOST_CHARACTERS", 1000)
    row = "x" * 97  # 100 characters with its quotes and comma
    room = 1000 - 200 - len("rows")
    assert answer({}, "rows", [row] * (room // 100)) == {"rows": [row] * 7}
    assert answer({}, "rows", [row] * 8) == {
        "rows": [row] * 7,
        "left_out": "there are more",
        "next_offset": 7,
    }
    assert answer({}, "rows", [row] * 6 + ["x" * 193]) == {"rows": [row] * 6 + ["x" * 193]}
    assert "left_out" in answer({}, "rows", [row] * 6 + ["x" * 194])


def test_the_head_takes_room_from_the_rows(monkeypatch):
    monkeypatch.setattr(answers, "MOST_CHARACTERS", 1000)
    head = {"log": "x" * 97, "nothing": None}
    room = 1000 - 200 - len("rows") - size_of({"log": "x" * 97})
    row = "y" * 97
    made = answer(head, "rows", [row] * 10)
    assert made.keys() == {"log", "rows", "left_out", "next_offset"} and len(made["rows"]) == room // 100


def test_a_field_that_does_not_fit_is_cut_or_left_out(monkeypatch):
    monkeypatch.setattr(answers, "MOST_CHARACTERS", 1000)
    made = answer({"long": "x" * 3000, "many": ["y" * 30] * 20}, "rows", [])
    assert made["long"].startswith("x" * 80 + "…") and "many" not in made


def test_the_first_row_is_cut_to_fit_and_later_ones_are_left_out(monkeypatch):
    monkeypatch.setattr(answers, "MOST_CHARACTERS", 600)
    row = {"a": "x" * 200, "b": "y" * 200, "c": None}
    made = answer({}, "rows", [row, row], total=2)
    assert made["rows"] == [{"a": cut("x" * 200, 80), "b": cut("y" * 200, 80)}]
    assert (made["left_out"], made["next_offset"]) == ("1 more", 1)


def test_what_is_left_out_is_counted_from_the_offset():
    assert answer({}, "rows", [1, 2], total=9, offset=4) == {
        "rows": [1, 2],
        "left_out": "3 more",
        "next_offset": 6,
    }
    assert answer({}, "rows", [1, 2], total=6, offset=4) == {"rows": [1, 2]}
    assert answer({}, "rows", [1], total=2001)["left_out"] == "2,000 more"


@pytest.fixture
def notes(tmp_path):
    trace = tmp_path / "dedicated_log_torch_trace_x.log"
    line = "<" + "-" * 200 + "needle" + "-" * 200 + ">"
    trace.write_bytes(
        log(f"""
            artifact:notes 0/0
                | needle needle
                | {line}
                | none
                | a needle
            artifact:notes 0/0
                | needle needle
                | {line}
                | none
                | a needle
            artifact:others 0/1
                | one needle
            artifact:link 0/1
        """)
    )
    build(discover([trace]), tmp_path / "out")
    return Bundle.open(tmp_path / "out").logs[0]


def found(log, name):
    return [
        (row["artifact"], row["compile"], row["line"], row["text"]) for row in matches(log, b"needle", name)
    ]


def test_each_line_is_found_once_and_equal_artifacts_are_searched_once(notes):
    lines = [
        ("notes", "0/0", 1, "needle needle"),
        ("notes", "0/0", 2, "-" * 120 + "needle" + "-" * 120),
        ("notes", "0/0", 4, "a needle"),
    ]
    assert found(notes, None) == [*lines, ("others", "0/1", 1, "one needle")]
    assert found(notes, "notes") == lines
    assert found(notes, "others") == [("others", "0/1", 1, "one needle")]


def test_the_search_ends_after_many_bytes(notes, monkeypatch):
    sizes = {artifact.name: artifact.size_bytes for artifact in notes.artifacts if artifact.sha256}
    monkeypatch.setattr(answers, "_SEARCHED_BYTES", sum(sizes.values()))
    assert len([*matches(notes, b"needle", None)]) == 4
    monkeypatch.setattr(answers, "_SEARCHED_BYTES", sum(sizes.values()) - 1)
    *rows, note = matches(notes, b"needle", None)
    assert len(rows) == 3 and note["note"].startswith("Only the first 0 MB were searched.")


def test_spans_with_more_time_inside_than_they_take():
    fields = ("id", "parent", "name", "compile", "duration_us")
    rows = [(0, None, "a", "0/0", 10), (1, 0, "b", "0/0", 12), (2, None, "a", "0/1", 5)]
    spans = [dict(zip(fields, row, strict=True)) for row in rows]
    assert span_sums(spans, "0/0") == [
        {"span": "b", "count": 1, "total_us": 12, "self_us": 12},
        {"span": "a", "count": 1, "total_us": 10, "self_us": 0},
    ]
    assert span_sums(spans, "9/9") == []
