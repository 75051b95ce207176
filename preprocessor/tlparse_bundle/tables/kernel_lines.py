"""Source lines of kernels, as far as a log without provenance records them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from tlparse_bundle.tables.memory.graph_text import GraphText
from tlparse_bundle.tables.rows import Rows
from tlparse_bundle.tables.text.record_values import Frame

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import KernelLinesRow

_Evidence = Literal["comment", "result"]


class KernelLines:
    """Rows of kernel_lines: torch comments name nodes of Dynamo's graph, whose text has their lines, and a
    kernel writes values that the code returns, which are nodes of the post-grad graph.
    """

    def __init__(self) -> None:
        self._rows: Rows[KernelLinesRow] = Rows()

    def observe(
        self,
        code_event: int,
        nodes: Mapping[str, Iterable[str]],
        program: GraphText | None,
        results: Mapping[str, Iterable[Frame]],
    ) -> None:
        """Add the lines of the kernels of a code.

        ``nodes``: those that the comments of the code name, by kernel. ``results``: lines of values that a
        kernel writes.
        """
        for kernel, names in nodes.items():
            lines: dict[Frame, _Evidence] = {}
            if program is not None:
                places = map(program.place_of_only, names)
                lines = {frame: "comment" for frame in places if frame is not None}
            for frame in results.get(kernel, ()):
                lines.setdefault(frame, "result")
            self._rows.extend(
                {
                    "code_event": code_event,
                    "kernel": kernel,
                    "evidence": evidence,
                    "file": frame.file,
                    "line": frame.line,
                    "function": frame.function,
                    "source_line": frame.source_line,
                }
                for frame, evidence in lines.items()
            )

    def tables(self) -> Iterator[tuple[str, Rows[Any]]]:
        yield "kernel_lines", self._rows
