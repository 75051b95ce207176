"""The folder of one report: numbers its files as tlparse does, writes them, and lists them for
compile_directory.json.

tlparse joins names from a log to its output folder as they are and writes wherever that leads. Here they stay
inside: anything but a plain file name is left out or replaced.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tlparse_bundle.legacy import rust_json
from tlparse_bundle.legacy.records import Record

Metadata = Mapping[str, Any]  # what is under a key of the envelope
PAYLOAD, JSON, PAGE, GLOBAL_PAGE, LINK = "payload", "json", "page", "global page", "link"


class Output(NamedTuple):
    """``form``: the payload as it is, reformatted as JSON, a page (of which a global one has no number), a
    link.
    """

    form: str
    name: str
    url: str = ""


def _sentinel(key: str) -> Callable[[Metadata, Record], Output]:
    return lambda metadata, record: Output(PAYLOAD, f"{key}.txt")


def _page(key: str) -> Callable[[Metadata, Record], Output]:
    return lambda metadata, record: Output(PAGE, f"{key}.html")


def _text(metadata: Metadata, key: str) -> str:
    value = metadata.get(key)
    return value if type(value) is str else ""


def _graph_dump(metadata: Metadata, record: Record) -> Output | None:
    """Return the file of a dump of vLLM. Most have none: their payload is in payloads/."""
    name = _text(metadata, "name")
    return None if name.startswith("vllm_") else Output(PAYLOAD, f"{name}.txt")


def _vllm_config(metadata: Metadata, record: Record) -> Output | None:
    """A second file of the same content, as tlparse writes it."""
    if _text(metadata, "name") != "vllm_compilation_config":
        return None
    try:
        rust_json.loads(record.payload)
    except ValueError:
        return None
    return Output(JSON, "vllm_compilation_config.json")


def _vllm_graph(metadata: Metadata, record: Record) -> Output | None:
    name = _text(metadata, "name")
    is_graph = name == "vllm_piecewise_split_graph" or name.startswith(("vllm_subgraph_", "vllm_submod_"))
    return Output(PAYLOAD, f"{name}.txt") if is_graph else None


def _dynamo_guards(metadata: Metadata, record: Record) -> Output | None:
    try:
        guards = rust_json.loads(record.payload)
    except ValueError:
        return None
    sound = type(guards) is list and all(
        type(guard) is dict and type(guard.get("code")) is str for guard in guards
    )
    return Output(PAGE, "dynamo_guards.html") if sound else None


def _output_code(metadata: Metadata, record: Record) -> Output:
    parts = [part for part in _text(metadata, "filename").split("/") if part not in ("", ".")]
    if not parts or parts[-1] == "..":
        return Output(PAYLOAD, "inductor_output_code.txt")
    return Output(PAYLOAD, f"inductor_output_code_{split_ending(parts[-1])[0]}.txt")


def _split_child(metadata: Metadata, record: Record) -> Output:
    return Output(PAYLOAD, f"optimize_ddp_split_child_{_text(metadata, 'name')}.txt")


def _link(metadata: Metadata, record: Record) -> Output:
    return Output(LINK, _text(metadata, "name"), _text(metadata, "url"))


def _artifact(metadata: Metadata, record: Record) -> Output | None:
    name, encoding = _text(metadata, "name"), metadata.get("encoding")
    if encoding == "string":
        return Output(PAYLOAD, f"{name}.txt")
    return Output(JSON, f"{name}.json") if encoding == "json" else None


def _dump_file(metadata: Metadata, record: Record) -> Output:
    name = _text(metadata, "name")
    eval_with_key = re.search(r"<eval_with_key>\.(\d+)", name)
    return Output(
        GLOBAL_PAGE,
        f"dump_file/eval_with_key_{eval_with_key[1]}.html" if eval_with_key else f"dump_file/{name}.html",
    )


Rule = Callable[[Metadata, Record], Output | None]

_VLLM: list[tuple[str, Rule]] = [("artifact", _vllm_config), ("graph_dump", _vllm_graph)]
# In the order in which tlparse tries them; a record with several of the keys makes several files.
_RULES: list[tuple[str, Rule]] = [
    *(
        (key, _sentinel(key))
        for key in (
            "optimize_ddp_split_graph",
            "compiled_autograd_graph",
            "aot_forward_graph",
            "aot_backward_graph",
            "aot_inference_graph",
            "aot_joint_graph",
            "inductor_post_grad_graph",
            "inductor_pre_grad_graph",
            "dynamo_cpp_guards_str",
        )
    ),
    ("graph_dump", _graph_dump),
    ("dynamo_output_graph", _sentinel("dynamo_output_graph")),
    ("dynamo_guards", _dynamo_guards),
    ("inductor_output_code", _output_code),
    ("optimize_ddp_split_child", _split_child),
    ("aot_autograd_backward_compilation_metrics", _page("aot_autograd_backward_compilation_metrics")),
    ("bwd_compilation_metrics", _page("bwd_compilation_metrics")),
    ("link", _link),
    ("artifact", _artifact),
    ("dump_file", _dump_file),
    *_VLLM,
    ("compilation_metrics", _page("compilation_metrics")),
]
_EXPORT_RULES: list[tuple[str, Rule]] = [("exported_program", _sentinel("exported_program")), *_VLLM]


def outputs(record: Record, *, export: bool) -> Iterator[tuple[str, Output]]:
    """(key of the envelope, output) of a record, in order."""
    for key, rule in _EXPORT_RULES if export else _RULES:
        metadata = record.metadata(key)
        output = None if metadata is None else rule(metadata, record)
        if output is not None:
            yield key, output


def split_ending(name: str) -> tuple[str, str]:
    """A file name as stem and ending with its dot, as Rust's Path does: '.txt' has no ending."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem and name != ".." else (name, "")


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
        """Write and list the output of a record's ``key``; return the path or, for a link, its URL."""
        if output.form == LINK:
            self._list(record, name=output.name, url=output.url)
            return output.url
        if output.form == GLOBAL_PAGE:
            path = self._places.place(safe_path(output.name))
        else:
            path = self._places.place(numbered(safe_path(f"{record.folder}/{output.name}"), self._number))
        readable_url = None
        if output.form in (PAGE, GLOBAL_PAGE):
            content = _html_page(
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
        """Write a payload that no other file has, under its checksum; return the path."""
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
        """Write the readable form of kernel stack traces, which is numbered before the traces."""
        try:
            rust_json.loads(content)
        except ValueError:
            return ""
        readable = self._places.place(f"{split_ending(path)[0]}_readable.html")
        self.write(readable, _html_page(content.decode().replace("\\\\n", "\n")))
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


def _html_page(text: str) -> bytes:
    """What stands for a page of tlparse: the data of the record as text."""
    return f'<!DOCTYPE html>\n<meta charset="utf-8">\n<pre>{html.escape(text)}</pre>\n'.encode(
        "utf-8", "replace"
    )


def _reformatted(payload: bytes) -> bytes:
    """Return pretty JSON, or the payload unchanged when it is not JSON."""
    try:
        return rust_json.pretty(rust_json.loads(payload)).encode()
    except ValueError:
        return payload


def safe_path(name: str) -> str:
    """Return a relative path without '..'; equal to ``name`` for harmless names."""
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
    """Return ``path`` with the number before its last extension."""
    folder, slash, name = path.rpartition("/")
    stem, ending = split_ending(name)
    return f"{folder}{slash}{stem}_{number}{ending}"


class Places:
    """Paths in use: no file becomes a folder, and no folder a file."""

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
