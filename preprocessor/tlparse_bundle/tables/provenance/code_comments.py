"""Post-grad nodes of each kernel, from the comments that torch writes into generated code.

torch/_inductor/utils.py, get_kernel_metadata. Used when torch wrote no mapping, as for a backward that is
compiled later. Above a Triton kernel are the nodes that it fuses:

    # Topologically Sorted Source Nodes: [a_1], Original ATen: [aten.silu]
    # Source node to ATen node mapping:
    #   a_1 => mul, sigmoid
    # Graph fragment:
    #   %mm : Tensor … = PlaceHolder[target=mm]
    #   %sigmoid : Tensor … = call_function[target=torch.ops.aten.sigmoid.default](args = (%mm,), kwargs = {})

Above a library call is only the first line. It names nodes that lead to the call, some from earlier
graphs. The node of the call is the last named one with that operator, else one with a named input, else
the only remaining one with a source line of the kernel. Ambiguous calls get no node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tlparse_bundle.tables.provenance.kernels_in_code import CodeText
from tlparse_bundle.tables.provenance.source_lines import GraphText, Source

_MAX_BLOCK = 5_000  # lines of comments above a kernel
_MAX_LINE = 20_000  # characters of a line that are looked at
_MAX_ALIKE = 1_000  # nodes of one operator with one input or source line: of more none is looked for
_NAMED = re.compile(r"\s*(?:#|//) Topologically Sorted Source Nodes: \[([^\]]*)\]")
_FRAGMENT = re.compile(r"\s*(?:#|//)\s+%(\w+) : .*? = call_function\[")
_ORIGIN = re.compile(r"\s*(?:#|//)\s+[\w.]+ => ([\w, ]+)$")
_COMMENT = re.compile(r"\s*(?:#|//)")
_BETWEEN = re.compile(r"\s*stream\d+ = get_raw_stream\(")
_OPERATOR = re.compile(r"= torch\.ops\.(\w+)\.(\w+)(?:\.\w+)?\(")
_WORD = re.compile(r"[A-Za-z_]\w*")


def operator_of(kernel: str) -> str | None:
    """Return the operator of a call: 'mm' for 'extern_kernels.mm'; None for an Inductor kernel."""
    space, _, rest = kernel.partition(".")
    if space == "extern_kernels":
        return rest or None
    parts = kernel.removeprefix("torch.ops.").split(".")
    is_torch_op = kernel.startswith("torch.ops.") and len(parts) >= 2
    return parts[1].removesuffix("_") if is_torch_op or (space == "aten" and len(parts) >= 2) else None


class CodeComments:
    """Nodes of the graph ``post`` (with text ``text``) in the comments of ``code``."""

    def __init__(self, code: CodeText, post: GraphText, text: str, ambiguous: Iterable[str] = ()):
        """``ambiguous``: names to ignore because they also mean something else."""
        self._code, self._post = code, post
        self._ambiguous = frozenset(ambiguous)
        self._operators: dict[int, str] = {}  # of each node that calls one
        self._with_input: dict[
            tuple[str, str], list[int]
        ] = {}  # operator, name of a node -> lines of the nodes that take it
        self._with_source: dict[tuple[str, Source | None], list[int]] = {}
        for number, line in enumerate(text.split("\n"), 1):
            match = _OPERATOR.search(line[:_MAX_LINE]) if number in post.operations else None
            if match:
                operator = self._operators[number] = match[2].removesuffix("_")
                self._with_source.setdefault((operator, post.sources[number]), []).append(number)
                for name in set(_WORD.findall(line[match.end() : _MAX_LINE].partition(";")[0])):
                    self._with_input.setdefault((operator, name), []).append(number)
        self._fused: set[str] = set()  # kernels of Inductor whose nodes are given
        self._taken: set[int] = set()  # nodes of calls of libraries

    def lines_of(self, kernels: list[tuple[str, list[int], set[Source]]]) -> list[list[int]]:
        """Return the post-grad lines of each kernel: (name, lines that call it, its source lines)."""
        lines_of: list[list[int]] = [[] for _ in kernels]
        order = sorted(
            range(len(kernels)), key=lambda number: kernels[number][1][:1] or [len(self._code.lines)]
        )
        calls = []
        for number in order:
            name, lines, sources = kernels[number]
            operator = operator_of(name)
            if operator is None:
                lines_of[number] = self._nodes_of_kernel(name)
            elif len(lines) == 1:
                calls.append((number, operator, self._named_above(lines[0]), sources))
        for rule in (self._by_name, self._by_input, self._by_source):
            for number, operator, named, sources in calls:
                lines = [] if lines_of[number] else rule(operator, named, sources)
                if lines:
                    lines_of[number] = lines
                    self._taken.update(lines)
        return lines_of

    def _nodes_of_kernel(self, name: str) -> list[int]:
        """Return nodes named above its definition, found by its first call."""
        place = self._code.definitions.get(name)
        if place is None or name in self._fused:
            return []
        self._fused.add(name)
        fragment: list[str] = []
        origins: list[str] = []
        for line in self._above(place[0]):
            if match := _FRAGMENT.match(line):
                fragment.append(match[1])
            elif match := _ORIGIN.match(line):
                origins += match[1].replace(",", " ").split()
        lines = {self._post.lines[node][0] for node in fragment or origins if node in self._post.lines}
        return sorted(lines & self._post.operations)

    def _named_above(self, call: int) -> list[str]:
        """Return the named nodes in graph order; '' for an unknown name."""
        for line in self._above(call):
            if match := _NAMED.match(line):
                names = [name.strip() for name in match[1].split(",")]
                return [
                    name if name not in self._ambiguous and len(self._post.lines.get(name, ())) == 1 else ""
                    for name in names
                    if name
                ]
        return []

    def _above(self, number: int) -> Iterable[str]:
        """Yield the comments directly above a line, upwards."""
        for above in range(number - 1, max(0, number - 1 - _MAX_BLOCK), -1):
            line = self._code.lines[above - 1][:_MAX_LINE]
            if _COMMENT.match(line):
                yield line
            elif not _BETWEEN.match(line):
                return

    def _one(self, lists: Iterable[list[int]]) -> list[int]:
        """Return the only node without a call, if there is exactly one."""
        free: set[int] = set()
        for lines in lists:
            if len(lines) > _MAX_ALIKE:
                return []
            free.update(line for line in lines if line not in self._taken)
        return list(free) if len(free) == 1 else []

    def _by_name(self, operator: str, named: list[str], sources: set[Source]) -> list[int]:
        lines = self._post.lines[named[-1]] if named and named[-1] else []
        return self._one([[line for line in lines if self._operators.get(line) == operator]])

    def _by_input(self, operator: str, named: list[str], sources: set[Source]) -> list[int]:
        return self._one(self._with_input.get((operator, name), []) for name in dict.fromkeys(named))

    def _by_source(self, operator: str, named: list[str], sources: set[Source]) -> list[int]:
        """Return nodes that no comment names and that share one source line."""
        return self._one(self._with_source.get((operator, source), []) for source in sources) if named else []
