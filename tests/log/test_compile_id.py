"""Compile ids as text, and their occurrences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_builder import log, span
from log_strategies import cases
from tlparse_bundle.log.compile_id import CompileId, Occurrences


@pytest.mark.parametrize(
    "parts,text",
    [
        ((None, 0, 0, 0), "0/0"),
        ((None, 0, 1, 2), "0/1_2"),
        ((0, None, None, 0), "!0"),
        ((3, None, None, 1), "!3_1"),
        ((1, 0, 0, 0), "!1/0/0"),
        ((2, 1, 0, 3), "!2/1/0_3"),
        ((None, 3, None, 0), "3/-"),
        ((None, None, 4, 0), "-/4"),
        ((None, None, None, 0), "-/-"),
    ],
)
def test_text(parts, text):
    assert str(CompileId(*parts)) == text


def test_a_second_start_of_an_id_is_a_second_occurrence():
    ids, cid = Occurrences(), CompileId(None, 0, 0, 0)
    assert [ids.of(cid, starts=True), ids.of(cid), ids.of(cid, starts=True), ids.of(cid)] == [1, 1, 2, 2]


def test_attempts_belong_to_the_occurrence_of_their_compile():
    ids = Occurrences()
    first, restarted = CompileId(None, 0, 0, 0), CompileId(None, 0, 0, 1)
    assert [ids.of(first, starts=True), ids.of(restarted), ids.of(restarted, starts=True)] == [1, 1, 1]
    assert [ids.of(first, starts=True), ids.of(restarted)] == [2, 2]


def test_a_span_that_opens_a_compile_belongs_to_it():
    ids, cid = Occurrences(), CompileId(None, 0, 0, 0)
    one = [ids.of(cid, opens=True), ids.of(cid, starts=True), ids.of(cid)]
    two = [ids.of(cid, opens=True), ids.of(cid, starts=True), ids.of(cid)]
    assert (one, two) == ([1, 1, 1], [2, 2, 2])


def test_ids_are_counted_apart():
    ids = Occurrences()
    for frame in range(3):
        assert ids.of(CompileId(None, frame, 0, 0), starts=True) == 1


def test_an_id_that_comes_again_after_a_reset_is_another_compile(log_of):
    start = log("dynamo_start 0/0\n dynamo_output_graph 0/0\n | graph")
    it = log_of(
        span("dynamo", "B", 1, "0/0")
        + start
        + span("dynamo", "E", 5, "0/0")
        + span("dynamo", "B", 7, "0/0")
        + start.replace(b"\tgraph", b"\tgraph")
    )
    assert [(c.key, c.row["occurrence"], c.row["event_count"]) for c in it.compiles] == [
        ("0/0", 1, 4),
        ("0/0@2", 2, 3),
    ]
    assert [len(list(it.events(compile_id=key))) for key in ("0/0", "0/0@2")] == [7, 3]


def test_a_compile_after_one_that_the_recompile_limit_ended_is_another_compile():
    """The limit ends a compile before its dynamo_start; after a reset, its id comes a third time."""
    ids, one = Occurrences(), CompileId(None, 0, 3, 0)
    assert [ids.of(one, opens=True), ids.of(one, starts=True), ids.of(one, ends=True)] == [1, 1, 1]
    assert [ids.of(one, opens=True), ids.of(one), ids.of(one, ends=True)] == [2, 2, 2]
    assert [ids.of(one, opens=True), ids.of(one, starts=True), ids.of(one, ends=True)] == [3, 3, 3]


class _PlainOccurrences:
    """The same with a dict for each thing that is remembered."""

    def __init__(self):
        self.newest, self.started, self.started_attempts, self.ended = {}, {}, {}, {}

    def of(self, cid, *, starts=False, opens=False, ends=False):
        key, attempt = cid[:3], (*cid[:3], cid.attempt)
        occurrence = self.newest.get(key, 1)
        begun = (
            {self.started_attempts.get(attempt)} if starts else {self.started.get(key), self.ended.get(key)}
        )
        if (starts or opens) and occurrence in begun:
            occurrence = self.newest[key] = occurrence + 1
        if starts:
            self.started_attempts[attempt] = self.started[key] = occurrence
        elif ends and key in self.newest:
            self.ended[key] = occurrence
        return occurrence


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 2), st.sampled_from(["starts", "opens", "ends", None]))
    )
)
@cases(300)
def test_occurrences_are_those_of_the_plain_rule(records):
    ids, plain = Occurrences(), _PlainOccurrences()
    for frame, attempt, way in records:
        cid, options = CompileId(None, frame, 0, attempt), {way: True} if way else {}
        assert ids.of(cid, **options) == plain.of(cid, **options)
