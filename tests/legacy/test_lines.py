"""Lines of a log, wherever its verbatim chunks end."""

from types import SimpleNamespace

import pytest
from tlparse_bundle.legacy import records

TEXT = b"V first {}\nI a line of another program\nV second {}\n\tpayload\nV last {}"


def event(line, payload_form=None, size_bytes=0):
    return SimpleNamespace(
        byte_offset=TEXT.index(line), payload_form=payload_form, row={"size_bytes": size_bytes}
    )


@pytest.mark.parametrize("size", [1, 2, 7, 11, 12, len(TEXT), len(TEXT) + 1])
def test_each_line_is_whole(monkeypatch, size):
    monkeypatch.setattr(records, "verbatim_bytes", lambda log, chunk: chunk)
    chunks = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    lines = records._Lines(SimpleNamespace(directory={"verbatim": chunks}))
    wanted = [b"V first {}\n", b"V second {}\n", b"V last {}"]
    assert [lines.line_of(event(line)) for line in wanted] == wanted


@pytest.mark.parametrize("size", [1, 5, 100])
def test_payloads_in_blobs_are_not_in_the_chunks(monkeypatch, size):
    """The payload of 9 bytes (tab, "payload", line end) is in a blob, so the lines after it are 9 bytes
    earlier.
    """
    monkeypatch.setattr(records, "verbatim_bytes", lambda log, chunk: chunk)
    kept = TEXT.replace(b"\tpayload\n", b"")
    chunks = [kept[start : start + size] for start in range(0, len(kept), size)]
    lines = records._Lines(SimpleNamespace(directory={"verbatim": chunks}))
    second = event(b"V second {}\n", "lf", len(b"V second {}\n\tpayload\n"))
    assert lines.line_of(second) == b"V second {}\n"
    assert lines.line_of(event(b"V last {}")) == b"V last {}"
