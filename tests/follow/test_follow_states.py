"""Each state is what a fresh build of the same bytes makes, wherever the pieces end; the end is a build's, byte for byte."""

import gzip

import pytest
import traces
from following import NAME, appending, follow, fresh, same_as_fresh, snapshot, without_gaps
from hypothesis import given
from hypothesis import strategies as st
from log_builder import log
from log_strategies import any_bytes, cases, small_logs
from tlparse_bundle.read.reader import Bundle


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_gaps(monkeypatch)


def states_of(folder, data, cuts, **options):
    """Follow one log that comes in pieces, and compare each state; the manifests."""
    path, out, found = folder / "traces" / NAME, folder / "out", []

    def told(manifest):
        found.append(manifest)
        same_as_fresh(out, lambda row: data, folder / "fresh")

    result = follow([path], out, appending(path, data, cuts), told=told, codec="none", **options)
    assert snapshot(result.path) == snapshot(fresh(data, folder / "whole"))
    return found


@cases(12)
@given(data=st.data())
def test_of_real_logs_cut_anywhere(data, tmp_path_factory):
    content = data.draw(st.sampled_from(small_logs()))
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=4))
    found = states_of(tmp_path_factory.mktemp("cut"), content, cuts)
    assert found[-1]["live"]["logs"][0]["read_bytes"] == len(content)


@cases(15)
@given(content=any_bytes(), cut=st.floats(0, 1))
def test_of_any_bytes(content, cut, tmp_path_factory):
    states_of(tmp_path_factory.mktemp("any"), content, [int(cut * len(content))])
