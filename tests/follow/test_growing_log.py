"""One log that is followed: whenever reading stops, nothing of it is lost."""

from log_builder import log
from tlparse_bundle import build, discover
from tlparse_bundle.build.sink import FileSink
from tlparse_bundle.follow.growing_log import GrowingLog
from tlparse_bundle.format.codecs import CODECS


def test_time_that_is_up_before_the_end_was_seen(tmp_path):
    """What came last is taken, and then it turns out that there is no more: between the two reading may stop, and the log end."""
    (tmp_path / "x.log").write_bytes(log("\n".join(f"artifact:a {number}/0\n | x" for number in range(3))))
    (found,) = discover([tmp_path / "x.log"])
    (tmp_path / "out").mkdir()
    growing = GrowingLog(found, FileSink(tmp_path / "out", CODECS["none"]))
    assert growing.look()
    assert growing._build.advance()  # as read() does, whose time is up now
    summary = growing.finish()
    growing.close()
    whole = build([found], tmp_path / "whole", jobs=1, codec="none").manifest["logs"][0]
    assert summary.row == whole
