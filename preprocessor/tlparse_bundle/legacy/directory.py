"""The folder of one report: numbers its files, writes them, and lists them for compile_directory.json."""

from __future__ import annotations

import html
from pathlib import Path

from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.file_names import Places, numbered, safe_path, split_ending
from tlparse_bundle.legacy.outputs import GLOBAL_PAGE, JSON, LINK, PAGE, Output
from tlparse_bundle.legacy.records import Record

_MARKS = (("cache_miss", "❌"), ("cache_hit", "✅"), ("cache_bypass", "❓"))
_STACK_TRACES = "inductor_provenance_tracking_kernel_stack_traces"


class Directory:
    """``groups`` lists the entries by compile id, in order of first appearance; ``written`` are the paths of
    the files.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.groups: dict[str, list[dict]] = {}
        self.written: set[str] = set()
        self._number = 0
        self._places = Places()

    def write_output(self, record: Record, key: str, output: Output) -> str:
        """Write and list what a record makes of ``key``; returns the path or, for a link, its URL."""
        if output.form == LINK:
            self._list(record, name=output.name, url=output.url)
            return output.url
        if output.form == GLOBAL_PAGE:
            path = self._places.place(safe_path(output.name))
        else:
            path = self._places.place(numbered(safe_path(f"{record.folder}/{output.name}"), self._number))
        readable_url = None
        if output.form in (PAGE, GLOBAL_PAGE):
            content = _page(
                record.payload.decode("utf-8", "replace") or rust_json.pretty(record.envelope[key])
            )
        elif output.form == JSON:
            content = _reformatted(record.payload)
            if path.rpartition("/")[2].startswith(_STACK_TRACES):
                readable_url = self._write_readable(path, content)
        else:
            content = record.payload
        self.write(path, content)
        mark = next((mark for part, mark in _MARKS if part in path), "")
        self._list(record, name=path, url=path, suffix=mark, readable_url=readable_url)
        return path

    def write_payload(self, record: Record) -> str | None:
        """Write a payload that is in no other file, under its checksum; returns the path."""
        announced = record.envelope.get("has_payload")
        if type(announced) is not str or not record.payload:
            return None
        path = self._places.place(safe_path(f"payloads/{announced}.txt"))
        self.write(path, record.payload)
        return path

    def write(self, path: str, content: bytes) -> None:
        self.written.add(path)
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def _write_readable(self, path: str, content: bytes) -> str:
        """The companion of kernel stack traces. It takes a number before the traces get theirs."""
        try:
            rust_json.loads(content)
        except ValueError:
            return ""
        readable = self._places.place(f"{split_ending(path)[0]}_readable.html")
        self.write(readable, _page(content.decode().replace("\\\\n", "\n")))
        self._number += 1
        return readable

    def _list(
        self, record: Record, *, name: str, url: str, suffix: str = "", readable_url: str | None = None
    ) -> None:
        self.groups[record.shown_id].append(
            {
                "name": name.rpartition("/")[2],
                "number": self._number,
                "readable_url": readable_url,
                "suffix": suffix,
                "url": url,
            }
        )
        self._number += 1


def _page(text: str) -> bytes:
    """What stands for a page of tlparse: the data of the record as text."""
    return f'<!DOCTYPE html>\n<meta charset="utf-8">\n<pre>{html.escape(text)}</pre>\n'.encode(
        "utf-8", "replace"
    )


def _reformatted(payload: bytes) -> bytes:
    """Pretty JSON; the payload as it is when it is none."""
    try:
        return rust_json.pretty(rust_json.loads(payload)).encode()
    except ValueError:
        return payload
