"""Which files a record makes in a tlparse report, and under which names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
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
    """Those of vLLM have rules of their own; of most of them no file is made, and the payload stands in
    payloads/.
    """
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
