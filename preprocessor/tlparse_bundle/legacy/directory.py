"""The folder of one report: numbers its files as tlparse does, writes them, and lists them for
compile_directory.json.

tlparse joins names from a log to its output folder as they are and writes wherever that leads. Here they stay
inside: what is no plain name of a file is left out or replaced.
"""

from __future__ import annotations

import hashlib
import html
import re
from pathlib import Path
from typing import Any

from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.outputs import GLOBAL_PAGE, JSON, LINK, PAGE, Output, split_ending
from tlparse_bundle.legacy.records import Record

_MARKS = (("cache_miss", "❌"), ("cache_hit", "✅"), ("cache_bypass", "❓"))
_STACK_TRACES = "inductor_provenance_tracking_kernel_stack_traces"


_MAX_PART_BYTES = 200
_MAX_PATH_BYTES = 1000
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\\ud800-\udfff]")


class Directory:
    """``groups`` lists the entries by compile id, in order of first appearance; ``written`` are the paths of
    the files.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.groups: dict[str, list[dict[str, Any]]] = {}
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


def safe_path(name: str) -> str:
    """A relative path without '..' and the like; the same as ``name`` for names of no ill will."""
    if len(name) > _MAX_PATH_BYTES:  # as one name, which is cut below
        name = name.replace("/", "_")
    parts = [_safe_part(part) for part in _UNSAFE.sub("_", name).split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or "_"


def _safe_part(part: str) -> str:
    data = part.encode()
    if len(data) <= _MAX_PART_BYTES:
        return part
    stem, ending = split_ending(part)
    digest = hashlib.sha256(data).hexdigest()[:8]
    return f"{_cut(stem, 100)}-{digest}{_cut(ending, 40)}"


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode("utf-8", "ignore")


def numbered(path: str, number: int) -> str:
    """``path`` with the number before its last ending."""
    folder, slash, name = path.rpartition("/")
    stem, ending = split_ending(name)
    return f"{folder}{slash}{stem}_{number}{ending}"


class Places:
    """The paths taken so far: no file becomes a folder, no folder a file."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def place(self, path: str) -> str:
        """Return the path for a file that should be at ``path``, which is nearly always ``path``.

        The same path again is the same file.
        """
        if not self._is_free(path):
            folder, _, name = path.partition("/")
            path = f"{folder}/{name.replace('/', '_')}"
            while not self._is_free(path):
                path += "_"
        self._files.add(path)
        self._folders.update(_parents(path))
        return path

    def _is_free(self, path: str) -> bool:
        return path not in self._folders and self._files.isdisjoint(_parents(path))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
