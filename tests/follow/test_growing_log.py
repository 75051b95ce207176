"""One log that is followed: wherever reading stops, nothing of it is lost."""

import os
import time

import pytest
from log_builder import log
from tlparse_bundle import build, discover
from tlparse_bundle.bundle.codecs import CODECS
from tlparse_bundle.follow import growing_log
from tlparse_bundle.follow.growing_log import GrowingLog
from tlparse_bundle.pipeline.file_writer import FileSink


def test_time_that_is_up_before_the_end_was_seen(tmp_path):
    """Reading takes the last bytes and then finds the end; it may stop, and the log end, between these two
    steps.
    """
    (tmp_path / "x.log").write_bytes(log("\n".join(f"artifact:a {number}/0\n | x" for number in range(3))))
    (found,) = discover([tmp_path / "x.log"])
    (tmp_path / "out").mkdir()
    growing = GrowingLog(found, FileSink(tmp_path / "out", CODECS["none"]))
    assert growing.look()
    growing._stream.left_bytes = growing_log.AT_ONCE_BYTES
    assert growing._build.advance()  # as read() does when its time is up now
    summary = growing.finish()
    growing.close()
    whole = build([found], tmp_path / "whole", jobs=1, codec="none").manifest["logs"][0]
    assert summary.row == whole


@pytest.mark.parametrize(
    ("written_s_ago", "changed_s_ago", "wanted_s"),
    [(0, 0, 0), (600, 600, 0), (200_000, 0, 200_000), (-3600, 0, -3600), (1, 0, 0)],
)
def test_a_log_of_another_clock(tmp_path, written_s_ago, changed_s_ago, wanted_s):
    """A compile that has hung for ten minutes, a replayed log, a machine whose clock is an hour ahead."""
    now = time.time()
    stamp = time.gmtime(now - written_s_ago)
    prefix = time.strftime("V%m%d %H:%M:%S.000000 7 torch/_dynamo/utils.py:1] ", stamp)
    span = '{"name": "dynamo", "ph": "B", "cat": "dynamo_timed", "tid": 0, "pid": 0, "ts": %d}' % (
        int(now - written_s_ago) * 1_000_000
    )
    path = tmp_path / "x.log"
    path.write_text(
        f'{prefix}{{"chromium_event": {{}}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0,'
        f' "has_payload": "0"}}\n\t{span}\n{prefix}{{"artifact": {{"name": "a", "encoding": "string"}}}}\n'
    )
    os.utime(path, (now - changed_s_ago,) * 2)
    (found,) = discover([path])
    (tmp_path / "out").mkdir()
    growing = GrowingLog(found, FileSink(tmp_path / "out", CODECS["none"]))
    assert growing.look()
    while growing.read(float("inf")):
        pass
    assert abs(growing.behind_us / 1e6 - wanted_s) < 2
    growing.close()
