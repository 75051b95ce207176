"""A real log is replayed ten times as fast: pages show the same as fresh builds of the same bytes."""

import traces
from replayed import Fresh, Replay, watched_replay
from tlparse_bundle import build, discover

TRAIN_STEP = traces.ROOT / "fixtures" / "train_step" / "trace" / "dedicated_log_torch_trace_fixture0.log"


def test_pages_agree_with_fresh_builds_while_a_log_is_replayed(tmp_path, new_page, served):
    """benchmarks/replay.py does this at other paces, with other logs."""
    address = served({"run": tmp_path})
    replay = Replay(tmp_path, TRAIN_STEP.read_bytes(), 10)
    following = new_page(
        errors=True
    ).context  # at the end the files of states are removed, and a page may have requested one

    def open_page(bundle, hash):
        page = following.new_page()
        page.goto(f"{address}/viewers/default/?bundle=/bundles/run/{bundle.name}/{hash}")
        return page

    samples = watched_replay(replay, open_page, each_s=0.5)
    fresh = Fresh(replay, open_page)
    for _, view, state, shown, _ in samples:
        assert shown == fresh.shows(state, view), (view, state)
    assert len({state for _, _, state, *_ in samples}) >= 2
    build(discover([replay.path]), tmp_path / "built", codec="none")
    assert _files(replay.out) == _files(tmp_path / "built")


def _files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
