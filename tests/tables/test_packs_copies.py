"""A fork of the process keeps the waiting data, and neither disturbs the other."""

import os

import pytest
from tlparse_bundle.follow.forked_process import CopyProcess
from tlparse_bundle.tables.spill import Packs
from waiting import until


def pieces(name, count):
    return [os.urandom(6000) + name for _ in range(count)]


@pytest.mark.parametrize("before", [1, 10])  # in memory, and in a file
def test_each_process_keeps_its_own_additions(before):
    packs, common = Packs(), pieces(b"common", before)
    for piece in common:
        packs.append(piece)
    asked, answer = os.pipe()
    theirs, ours = pieces(b"copy", 10), pieces(b"this", 10)

    def add():
        for piece in theirs[:5]:
            packs.append(piece)
        os.read(asked, 1)  # the other process has written now
        for piece in theirs[5:]:
            packs.append(piece)
        return list(packs)

    copy = CopyProcess(add)
    for number, piece in enumerate(ours):
        packs.append(piece)
        assert packs[0] == common[0] and packs[before + number] == piece
    os.write(answer, b"x")
    until(lambda: copy.take() or copy.done)
    assert copy.result() == common + theirs
    assert list(packs) == common + ours
    os.close(asked)
    os.close(answer)
