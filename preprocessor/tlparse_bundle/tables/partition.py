"""Tables of AOTAutograd's decisions: saved and recomputed values, mutated inputs, and aliased outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypedDict

from tlparse_bundle.log.event import Event
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.table import ParseCache, TableContext, place_of
from tlparse_bundle.tables.text.record_values import (
    as_text,
    cut,
    number_or_none,
    payload_json,
    payload_text,
    text_or_none,
    unexpected,
)

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import (
        AliasingRow,
        DuplicateBackwardsRow,
        FailedPartitionsRow,
        PartitionCandidatesRow,
        PartitionsRow,
        RankDecisionsRow,
    )
    from tlparse_bundle.tables.table import RecordPlace

    class _AliasingFields(TypedDict):
        input_count: int
        mutated_input_count: int
        moving_mutated_inputs: list[int]
        metadata_mutated_input_count: int
        output_count: int
        output_types: dict[str, int]
        intermediate_base_count: int | None
        saved_symint_count: int | None
        backward_token_count: int | None
        rng_state_count: int | None


MAX_NODES = 5000  # of one list

_METADATA = ("aot_forward_graph_fw_metadata", "aot_forward_graph_fw_subclass_metadata")
_FAILED = re.compile(r"min_cut_failed_(\w+)\Z")
_SYNC = "aot_joint_graph_sync_decision_cross_ranks"
_NAMES = frozenset((*_METADATA, _SYNC, "min_cut_information", "invoke_subgraph_backward_duplicate"))
_PICKED = re.compile(r"picked_rank_idx=(\d{1,9})\b")
_SIZE = re.compile(r"'([^'\n]{1,1000})': (\d{1,15})\b")
_MAX_INPUTS = 1000
_MUTATES = re.compile(r"mutates_data=(True|False)")  # one for each InputAliasInfo
_STATIC = re.compile(r"static_input_indices=\[([\d,\s]*)\]")
_POSITION = re.compile(r"\d{1,9}")
_OUTPUT_TYPE = re.compile(r"OutputAliasInfo\(output_type=<OutputType\.(\w+)")
# At the beginning of a word, which '\b' would look for at every character.
_FIELD = re.compile(
    r"num_(?<!\wnum_)(intermediate_bases|symints_saved_for_bw|backward_tokens|graphsafe_rng_states)=(\d{1,9})\b"
)


class Partition:
    name = "partition"
    types = frozenset(("artifact",))

    def __init__(self, context: TableContext):
        self._diagnostics = context.diagnostics
        self._partitions: Rows[PartitionsRow] = Rows()
        self._candidates: Rows[PartitionCandidatesRow] = Rows()
        self._failed: Rows[FailedPartitionsRow] = Rows()
        self._sync: Rows[RankDecisionsRow] = Rows()
        self._aliasing: Rows[AliasingRow] = Rows()
        self._duplicates: Rows[DuplicateBackwardsRow] = Rows()
        self._read = ParseCache(_aliasing)

    @staticmethod
    def wants(event: Event) -> bool:
        return event.name in _NAMES or _FAILED.match(event.name or "") is not None

    reads = wants

    def observe(self, event: Event) -> None:
        name = event.name or ""
        place = place_of(event)
        if name in _METADATA:
            self._aliasing.append(
                {**place, "subclass": name != _METADATA[0], **self._read(event.hash, event)}
            )
        elif name in ("min_cut_information", "invoke_subgraph_backward_duplicate"):
            value = payload_json(event)
            if type(value) is not dict:
                unexpected(self._diagnostics, event, "not an object")
            elif name == "min_cut_information":
                self._partitions.append(_partition_row(place, value))
                self._candidates.extend(_candidate_rows(place, value))
            else:
                self._duplicates.append(_duplicate_row(place, value))
        elif name == _SYNC:
            self._observe_sync(event, place)
        elif match := _FAILED.match(name):
            text = payload_text(event)
            self._failed.append(
                {**place, "what": cut(match[1]), "line_count": text.count("\n") + 1 if text else 0}
            )

    def _observe_sync(self, event: Event, place: RecordPlace) -> None:
        text = payload_text(event)
        picked = _PICKED.search(text[:1000])
        if picked is None:
            unexpected(self._diagnostics, event, "picked_rank_idx is missing")
        sizes = [(name, int(size)) for name, size in _SIZE.findall(text)]
        total = next((size for name, size in reversed(sizes) if name == "total size"), None)
        saved = dict(islice((entry for entry in sizes if entry[0] != "total size"), MAX_NODES))
        self._sync.append(
            {
                **place,
                "picked_rank": int(picked[1]) if picked else None,
                "saved_size_bytes": saved,
                "total_size_bytes": total,
            }
        )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "partitions", self._partitions
        yield "partition_candidates", self._candidates
        yield "failed_partitions", self._failed
        yield "rank_decisions", self._sync
        yield "aliasing", self._aliasing
        yield "duplicate_backwards", self._duplicates


def _aliasing(event: Event) -> _AliasingFields:
    """Return counts from the repr of ViewAndMutationMeta (torch/_functorch/_aot_autograd/schemas.py).

    A subclass's metadata repeats it inside; only the first is counted.
    """
    text = payload_text(event)
    end = text.find("ViewAndMutationMeta(", text.find("ViewAndMutationMeta(") + 1)
    text = text if end < 0 else text[:end]
    outputs: dict[str, int] = {}
    for kind in _OUTPUT_TYPE.findall(text):
        if kind in outputs or len(outputs) < 50:
            outputs[cut(kind)] = outputs.get(kind, 0) + 1
    fields = {key: int(number) for key, number in _FIELD.findall(text)}
    static = _STATIC.search(text)
    fixed = set(map(int, _POSITION.findall(static[1]))) if static else set()
    mutated = [place for place, mutates in enumerate(_MUTATES.findall(text)) if mutates == "True"]
    return {
        "input_count": text.count("InputAliasInfo("),
        "mutated_input_count": len(mutated),
        "moving_mutated_inputs": [place for place in mutated if place not in fixed][:_MAX_INPUTS],
        "metadata_mutated_input_count": text.count("mutates_metadata=True"),
        "output_count": sum(outputs.values()),
        "output_types": outputs,
        "intermediate_base_count": fields.get("intermediate_bases"),
        "saved_symint_count": fields.get("symints_saved_for_bw"),
        "backward_token_count": fields.get("backward_tokens"),
        "rng_state_count": fields.get("graphsafe_rng_states"),
    }


def _partition_row(place: RecordPlace, value: dict[str, Any]) -> PartitionsRow:
    """Return the row of a partition, from the AOT_PARTITIONER_DEBUG record
    (torch/_functorch/partitioners.py).
    """
    edges = value.get("Joint Graph Edges")
    edges = edges if type(edges) is dict else {}
    saved = value.get("Min Cut Solution Saved Values")
    return {
        **place,
        "node_count": number_or_none(value.get("Joint Graph Size")),
        "edge_count": number_or_none(edges.get("Total")),
        "memory_budget": number_or_none(value.get("Memory Budget")),
        "expected_runtime": number_or_none(value.get("Expected Runtime")),
        "min_activation_gb": number_or_none(value.get("Min Activation Size (GB)")),
        "max_activation_gb": number_or_none(value.get("Max Activation Size (GB)")),
        "saved_activation_gb": number_or_none(value.get("Saved Values Activation Size (GB)")),
        "more_aggressive_ratio": number_or_none(value.get("More Aggressive Saved Values Mem Ratio")),
        "aggressive_recomputation_ratio": number_or_none(
            value.get("Aggressive Recomputation Saved Values Mem Ratio")
        ),
        "saved_values": _texts(saved),
    }


def _candidate_rows(place: RecordPlace, value: dict[str, Any]) -> Iterator[PartitionCandidatesRow]:
    """Yield at most MAX_NODES nodes that could be saved or recomputed, from the same record."""
    nodes = value.get("Joint Graph Node Information")
    infos: Iterator[tuple[str, dict[str, Any], Any]] = (
        (name, node, node.get("recomputable_candidate_info"))
        for name, node in (nodes.items() if type(nodes) is dict else ())
        if type(node) is dict
    )
    for name, node, info in islice((each for each in infos if type(each[2]) is dict), MAX_NODES):
        yield {
            "partition_event": place["event"],
            "compile": place["compile"],
            "attempt": place["attempt"],
            "node": cut(name),
            "target": text_or_none(node.get("target")),
            "memory_bytes": number_or_none(info.get("memory")),
            "runtime": number_or_none(info.get("runtime")),
            "saved": _flag(info.get("is_saved")),
            "recomputed": _flag(info.get("is_recomputed")),
        }


def _duplicate_row(place: RecordPlace, value: dict[str, Any]) -> DuplicateBackwardsRow:
    variant = value.get("new_variant")
    variant = variant if type(variant) is dict else {}
    tangents = variant.get("tangents")
    tangents = tangents if type(tangents) is list else []
    return {
        **place,
        "forward_identifier": text_or_none(value.get("forward_identifier")),
        "backward_identifier": text_or_none(value.get("backward_identifier")),
        "variant_suffix": as_text(value.get("new_variant_suffix")),
        "variant_count": number_or_none(value.get("num_variants_for_identifier")),
        "new_backward_identifier": text_or_none(variant.get("backward_identifier")),
        "tangents": [
            {
                "backward_input_name": as_text(tangent.get("backward_input_name")),
                "shape": as_text(tangent.get("shape")),
                "stride": as_text(tangent.get("stride")),
                "dtype": as_text(tangent.get("dtype")),
                "device": as_text(tangent.get("device")),
                "type": as_text(tangent.get("type")),
            }
            for tangent in tangents[:MAX_NODES]
            if type(tangent) is dict
        ],
        "explanation": text_or_none(value.get("explanation")),
        "common_cause": text_or_none(value.get("common_cause")),
        "suggested_action": text_or_none(value.get("suggested_action")),
    }


def _flag(value: object) -> bool | None:
    return value if type(value) is bool else None


def _texts(values: Any) -> list[str]:
    return [cut(value) for value in values[:MAX_NODES] if type(value) is str] if type(values) is list else []
