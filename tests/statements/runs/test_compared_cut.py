"""One of two runs was killed, or its log was cut: what it lacks is neither new nor gone."""

import pytest
import zstandard
from tlparse_bundle.statements.runs.compare.document import compare

OF_THE_END = {"unfinished-compile", "data-problem"}


@pytest.fixture
def cut(built, tmp_path):
    """Return cut(log, share): the bundle of its beginning."""

    def of(log, share):
        folder = tmp_path / f"cut{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / log.name).write_bytes(log.read_bytes()[: int(log.stat().st_size * share)])
        return built(folder)

    return of


def compared(base, new):
    document = compare([("base", base)], [("new", new)])
    return document["summary"]["notes"], [change for log in document["logs"] for change in log["changes"]]


@pytest.mark.parametrize("share", [0.45, 0.8])
@pytest.mark.parametrize("name", ["recompiles", "graph_breaks", "failures", "train_step"])
def test_records_after_a_cut_are_neither_new_nor_gone(built, root, cut, name, share):
    (log,) = (root / "fixtures" / name / "trace").glob("*.log")
    whole, begun = built(log.parent), cut(log, share)
    for pair, side, told in (((whole, begun), "new", "gone"), ((begun, whole), "base", "new")):
        notes, changes = compared(*pair)
        assert [
            change["title"] for change in changes if change["details"].get("kind") not in OF_THE_END
        ] == []
        assert [
            note
            for note in notes
            if note.startswith(f"In the {side} run, the log ")
            and note.endswith(f"is not reported as {told}.")
        ]


def test_a_certain_change_is_reported(root, built, cut, tmp_path):
    """The base log lacks its last records, but has the compile in which the graph breaks now."""
    folder = root / "fixtures" / "pairs" / "new_break"
    (packed,) = (folder / "base").iterdir()
    log = tmp_path / packed.stem
    log.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed.read_bytes()).read())
    _, changes = compared(cut(log, 0.98), built(folder / "new"))
    assert [
        change["title"].partition(",")[0]
        for change in changes
        if change["details"].get("kind") == "graph-break"
    ] == ["Graph break in `forward` at `program.py:14`"]


def test_ranks_that_wait_for_one_that_was_killed_end_early_too(built, root):
    healthy, killed = (
        built(root / "fixtures" / name / "trace") for name in ("ranks_healthy", "ranks_killed")
    )
    for pair, side, other, told in (
        ((healthy, killed), "new", "base", "gone"),
        ((killed, healthy), "base", "new", "new"),
    ):
        notes, changes = compared(*pair)
        assert {change["details"]["kind"] for change in changes} == {"unfinished-compile"}
        assert notes == [
            f"In the {side} run, the log of rank 3 ends inside 1 compile. Anything that only the {other} run has may"
            f" come after that, so it is not reported as {told}."
        ]
