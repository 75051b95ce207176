"""Whether a record at the end of a log that still grows is there as a whole.

A build need not ask: its logs are finished.
"""

from __future__ import annotations

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.log.json_text import has_long_integer
from tlparse_bundle.log.payload import md5
from tlparse_bundle.log.record_reader import PREFIX


def is_whole(text: bytes, payload: bytes) -> bool:
    """``text`` is what was read from the begin of the record on; ``payload`` is what of its payload was taken
    out of that before.

    A record with a payload announces the MD5 of it. What is no record is whole when its line is.
    """
    if not text:
        return True
    if not text.endswith(b"\n"):
        return False
    head, _, lines = text.partition(b"\n")
    match = PREFIX.match(head)
    if match is None:
        return True
    envelope = head[match.end() :].removesuffix(b"\r")
    try:
        fields = {} if has_long_integer(envelope) else loads(envelope)
    except ValueError:
        return True
    announced = fields.get("has_payload") if type(fields) is dict else None
    if type(announced) is not str:
        return True
    data = payload + lines.rstrip(b"\n")[1:].replace(b"\n\t", b"\n")
    return md5(data) == announced.encode("utf-8", "replace")
