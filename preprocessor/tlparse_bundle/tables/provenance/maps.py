"""Maps of one group between lines of graphs, code and source, and their coverage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.provenance import groups
from tlparse_bundle.tables.provenance.code_comments import CodeComments
from tlparse_bundle.tables.provenance.code_flow import fused_nodes
from tlparse_bundle.tables.provenance.groups import Group
from tlparse_bundle.tables.provenance.kernels_in_code import CodeText
from tlparse_bundle.tables.provenance.mapping import Mapping, split_handle
from tlparse_bundle.tables.provenance.source_lines import GraphText, Source

if TYPE_CHECKING:

    class Coverage(TypedDict):
        pre_node_count: int
        pre_in_post_count: int
        post_node_count: int
        post_in_pre_count: int
        post_in_kernel_count: int
        kernel_count: int
        kernel_in_post_count: int
        kernel_from_code_count: int
        kernel_in_code_count: int
        kernel_with_source_count: int
        unknown_name_count: int


@dataclass(slots=True)
class KernelMap:
    """A kernel (version 1) or a call of a kernel (version 2). Lines are sorted, from 1."""

    name: str
    handle: int | None
    post_lines: list[int]
    call_lines: list[int]
    definition: tuple[int, int] | None  # first and last line
    body: tuple[int, int] | None  # the same in the bodies of AOTInductor
    stacks: list[tuple[Source, ...]]
    from_code: bool = False  # post_lines are from comments of the code


@dataclass(slots=True)
class GroupMaps:
    pre: GraphText | None
    post: GraphText | None
    has_pre_grad: bool  # whether the pre-grad graph of the group is really the one that it came from
    code: CodeText | None
    version: int | None
    bodies: CodeText | None = None
    pairs: list[tuple[int, int]] = field(default_factory=list)  # (pre-grad line, post-grad line), sorted
    kernels: list[KernelMap] = field(default_factory=list)
    unknown_names: int = 0  # nodes that the mapping names and the graphs lack
    unlisted: int = 0  # kernels that the code calls, and neither the mapping nor a comment names
    damaged: list[str] = field(default_factory=list)  # parts that are not what they should be

    def coverage(self) -> Coverage:
        """Return the number of nodes and kernels, and how many have a counterpart. Only computing nodes
        count.
        """
        pre = self.pre.operations if self.pre and self.has_pre_grad else set()
        post = self.post.operations if self.post else set()
        return {
            "pre_node_count": len(pre),
            "pre_in_post_count": len(pre & {pair[0] for pair in self.pairs}),
            "post_node_count": len(post),
            "post_in_pre_count": len(post & {pair[1] for pair in self.pairs}),
            "post_in_kernel_count": len(
                post & {line for kernel in self.kernels for line in kernel.post_lines}
            ),
            "kernel_count": len(self.kernels),
            "kernel_in_post_count": sum(bool(kernel.post_lines) for kernel in self.kernels),
            "kernel_from_code_count": sum(kernel.from_code for kernel in self.kernels),
            "kernel_in_code_count": sum(bool(kernel.call_lines) for kernel in self.kernels),
            "kernel_with_source_count": sum(bool(kernel.stacks) for kernel in self.kernels),
            "unknown_name_count": self.unknown_names,
        }


def maps_of(group: Group) -> GroupMaps:
    """Return the maps of a group, reading each text once."""
    mapping, damaged = _mapping(group)
    pre_grad, payload = group.pre_grad, group.pre_grad.payload if group.pre_grad else None
    pre = GraphText(_text(payload)) if payload is not None else None
    post = GraphText(_text(group.parts[groups.POST_GRAD])) if groups.POST_GRAD in group.parts else None
    written = group.parts.get(groups.WRAPPER) or group.parts.get(groups.CODE)
    code = CodeText(_text(written)) if written is not None else None
    bodies = CodeText(_text(group.parts[groups.BODIES])) if groups.BODIES in group.parts else None
    has_pre_grad = pre_grad is not None and (bool(mapping.pre_to_post) or pre_grad.nth == 1)
    maps = GroupMaps(pre, post, has_pre_grad, code, mapping.version, bodies, damaged=damaged)
    _add_kernels(maps, mapping, group.earlier_kernels)
    if not mapping.kernel_to_post and post and code:
        _add_from_code(maps, code, post, _text(group.parts[groups.POST_GRAD]))
    maps.unknown_names += (
        sum(name not in post.lines for name in {name for _, name in mapping.kernel_to_post}) if post else 0
    )
    if pre and post:
        pairs = {
            (a, b)
            for one, other in mapping.pre_to_post
            for a in pre.lines_of(one)
            for b in post.lines_of(other)
        }
        maps.pairs = sorted(pairs)
    return maps


def _text(payload: bytes) -> str:
    return payload.decode("utf-8", "replace")


def _mapping(group: Group) -> tuple[Mapping, list[str]]:
    """Return the mapping of a group, and the parts that could not be read. The new form takes precedence."""
    mapping, damaged = Mapping(), []
    graph_id = group.pre_grad.graph_id if group.pre_grad else None

    def read(part: str, add: Callable[[Any], bool]) -> bool:
        payload = group.parts.get(part)
        if payload is None:
            return False
        try:
            value = parse_json(payload, for_table=False)
        except ValueError:
            value = None
        if not add(value):
            damaged.append(part)
            return False
        return True

    if not read(groups.NODES, mapping.add_nodes):
        read(groups.KERNELS, mapping.add_kernels)
        read(groups.ORIGINS, lambda value: mapping.add_origins(value, graph_id))
        mapping.version = 1 if mapping.kernel_to_post or mapping.pre_to_post else None
    read(groups.STACKS, mapping.add_stacks)
    return mapping, damaged


def _add_kernels(maps: GroupMaps, mapping: Mapping, earlier: frozenset[str]) -> None:
    """The kernels that torch names and those in the code, in the order of the mapping.

    torch uses one list for a forward and backward that are compiled together, so the backward names the
    kernels of the forward too: kernels only of the earlier code are left out. Before 2.9, one list without
    handles covers all graphs: kernels that are not in the code belong to a different graph. AOTInductor
    compiles one graph, so all kernels of its list are kept.
    """
    named = dict(mapping.kernels)
    if maps.code is not None:
        own = maps.code.handles
        if own:
            own_names = set(own)
            named = {kernel: None for kernel in named if kernel in own_names or kernel not in earlier}
            own += maps.code.operators_without_handles()
        elif not any(split_handle(kernel)[1] is not None for kernel in named):
            own = maps.code.kernels_without_handles(maps.bodies.definitions if maps.bodies else ())
            called = dict.fromkeys(kernel for kernel in named if kernel in set(own))
            if called and maps.version == 1 and maps.bodies is None:
                named = called
        named |= dict.fromkeys(own)
        listed = {split_handle(kernel)[0] for kernel in named}
        called_kernels = maps.code.kernels_without_handles(maps.bodies.definitions if maps.bodies else ())
        maps.unlisted = sum(name not in listed for name in called_kernels)
    calls = maps.code.call_lines(named) if maps.code else {}
    posts: dict[str, list[str]] = {}
    for kernel, post in mapping.kernel_to_post:
        posts.setdefault(kernel, []).append(post)
    for kernel in named:
        name, handle = split_handle(kernel)
        stacks = mapping.stacks.get(kernel, [])
        sources = {frames[-1] for frames in stacks}
        lines = (
            {line for post in posts.get(kernel, ()) for line in maps.post.lines_of(post, sources)}
            if maps.post
            else set()
        )
        definition = maps.code.definitions.get(name) if maps.code else None
        body = maps.bodies.definitions.get(name) if maps.bodies else None
        maps.kernels.append(
            KernelMap(name, handle, sorted(lines), calls.get(kernel, []), definition, body, stacks)
        )


def _add_from_code(maps: GroupMaps, code: CodeText, post: GraphText, text: str) -> None:
    """Add kernels from comments and data flow of the code when torch wrote no kernel map.

    Names of the pre-grad graph don't count as names of the post-grad graph.
    """
    comments = CodeComments(code, post, text, maps.pre.lines if maps.pre else ())
    calls = [
        (kernel.name, kernel.call_lines, {frames[-1] for frames in kernel.stacks}) for kernel in maps.kernels
    ]
    for kernel, lines in zip(maps.kernels, comments.lines_of(calls), strict=True):
        kernel.post_lines = lines
    names = {lines[0]: name for name, lines in post.lines.items()}
    single = [(kernel, kernel.call_lines[0]) for kernel in maps.kernels if len(kernel.call_lines) == 1]
    calls_with_nodes = [
        (line, kernel.name, names.get(kernel.post_lines[0]) if len(kernel.post_lines) == 1 else None)
        for kernel, line in single
    ]
    if (
        len(single) == len(maps.kernels)
        and not code.is_cpp
        and any(not kernel.post_lines for kernel in maps.kernels)
    ):
        nodes = fused_nodes(code.lines, code.definitions, text, calls_with_nodes)
        for kernel, line in single:
            if not kernel.post_lines:
                kernel.post_lines = sorted(
                    {post.lines[name][0] for name in nodes.get(line, ())} & post.operations
                )
    for kernel in maps.kernels:
        kernel.from_code = bool(kernel.post_lines)
