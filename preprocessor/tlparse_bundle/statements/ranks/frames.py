"""The frame compiles of one log, and the alignment of the frames of several ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict

from tlparse_bundle.bundle.reader import Log
from tlparse_bundle.bundle.row_objects import Artifact
from tlparse_bundle.statements.ranks.comparable_text import Contents

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import CapturesRow, CompilesRow, LimitsRow, LogTable

_PATH_PARTS = 3  # that identify a file: checkouts differ between machines
# Names of artifacts by stage; older torch writes after_post_grad_graph.
STAGES: dict[Stage, tuple[str, ...]] = {
    "dynamo": ("dynamo_output_graph", "compiled_autograd_graph"),
    "joint": ("aot_joint_graph",),
    "forward": ("aot_forward_graph",),
    "backward": ("aot_backward_graph",),
    "inference": ("aot_inference_graph",),
    "post_grad": ("inductor_post_grad_graph", "after_post_grad_graph"),
    "code": ("inductor_output_code",),
}
_STAGE_OF = {name: stage for stage, names in STAGES.items() for name in names}
_OF_ONE_STEP = "inductor_graph_execution"
# The captured graph: torch/_dynamo/output_graph.py, torch/_dynamo/compiled_autograd.py.
CAPTURED = ("dynamo_output_graph", "compiled_autograd_graph")

Stage = Literal["dynamo", "joint", "forward", "backward", "inference", "post_grad", "code"]
Code = tuple[Any, ...]  # identifies a code object on every rank


class UncompiledRow(TypedDict):
    """A row of ``compiles`` for a frame that torch refused to compile or only captured."""

    compile: str
    first_event: int
    function: str | None
    file: str | None
    line: int | None
    status: None
    start_epoch_us: None
    total_us: None
    dynamo_us: None
    aot_us: None
    inductor_us: None
    backward_us: None
    restart_us: None
    graph_node_count: None


FrameRow: TypeAlias = "CompilesRow | UncompiledRow"


class Frame(NamedTuple):
    """One compile id with all attempts."""

    key: str
    function: str | None
    filename: str | None
    first_line: int | None
    graph: str | None  # hash of its captured graph


class Frames:
    """The frame compiles of a log, in order of first appearance."""

    def __init__(self, log: Log, contents: Contents):
        @cache  # shared by several analyses
        def table(name: str) -> Any:
            return log.table(name)

        self.log = log
        self.table: LogTable = table
        self.contents = contents
        rows: list[FrameRow] = [row for row in self.table("compiles") if row["event_count"] is not None]
        rows += map(_uncompiled, self.table("limits"))
        rows += map(_uncompiled, self.table("captures"))
        self.compiles = sorted(rows, key=lambda row: row["first_event"])
        self._of_key = {row["compile"]: number for number, row in enumerate(self.compiles)}
        self._artifacts: dict[int, list[Artifact]] = {}  # by the number of the frame

    def __len__(self) -> int:
        return len(self.compiles)

    def number(self, compile: str | None) -> int | None:
        """Return the number of a compile by its key; None if there is no such compile."""
        return None if compile is None else self._of_key.get(compile)

    def number_of(self, row: Mapping[str, Any]) -> int | None:
        """Return the number of the compile that a row belongs to; None if it belongs to none."""
        return self.number(row["compile"])

    def artifacts(self, number: int) -> list[Artifact]:
        """Return the artifacts of the last attempt with any, in order."""
        if number not in self._artifacts:
            artifacts = self.log.artifacts_by_compile.get(self.compiles[number]["compile"], [])
            last = max((artifact.row["attempt"] or 0 for artifact in artifacts), default=0)
            self._artifacts[number] = [one for one in artifacts if (one.row["attempt"] or 0) == last]
        return self._artifacts[number]

    def rows(self) -> list[Frame]:
        return [self._frame(number, row) for number, row in enumerate(self.compiles)]

    def _frame(self, number: int, row: FrameRow) -> Frame:
        captured = next((a for a in self.artifacts(number) if a.name in CAPTURED), None)
        graph = None if captured is None else self.contents(captured)
        return Frame(row["compile"], row["function"], row["file"], row["line"], graph)


def _uncompiled(row: LimitsRow | CapturesRow) -> UncompiledRow:
    return {
        "compile": row["compile"],
        "first_event": row["first_event"],
        "function": row["function"],
        "file": row["file"],
        "line": row["line"],
        "status": None,
        "start_epoch_us": None,
        "total_us": None,
        "dynamo_us": None,
        "aot_us": None,
        "inductor_us": None,
        "backward_us": None,
        "restart_us": None,
        "graph_node_count": None,
    }


def recorded_steps(frames: Frames) -> list[tuple[int | None, str | None]] | None:
    """Return (frame, compile id) of each graph that ran, in order; None if not recorded.

    The last record has the whole order (torch/_inductor/debug.py); older torch writes a record per step.
    """
    records = frames.table("graph_executions")
    if not records:
        return None
    names = {artifact.event: artifact.name for artifact in frames.log.artifacts}
    is_stepwise = all(names.get(row["event"]) == _OF_ONE_STEP for row in records)
    used = records if is_stepwise else records[-1:]
    return [
        (frames.number(compile), id_)
        for row in used
        for id_, compile in zip(row["graphs"], row["graph_compiles"], strict=False)
    ]


def stage_artifacts(frames: Frames, number: int) -> dict[Stage, list[Artifact]]:
    """Return the artifacts of a frame by stage, in order."""
    by_stage: dict[Stage, list[Artifact]] = {stage: [] for stage in STAGES}
    for artifact in frames.artifacts(number):
        stage = _STAGE_OF.get(artifact.name)
        if stage is not None:
            by_stage[stage].append(artifact)
    newer = [artifact for artifact in by_stage["post_grad"] if artifact.name == "inductor_post_grad_graph"]
    return {**by_stage, "post_grad": newer or by_stage["post_grad"]}


class Column:
    """A column, equal only to itself."""

    def __init__(self, code: Code, graph: str | None, role: int):
        self.code = code
        self.role = role
        self.graph = graph  # of the first frame in the column


def align(kinds: Sequence[tuple[int, Sequence[Frame]]]) -> tuple[list[Column], list[list[Column]]]:
    """Return the columns in order, and the column of each frame of each kind of rank.

    ``kinds`` are the distinct (role, frames), the most frequent first; it sets the order. A column belongs to
    one role.
    """
    of_code: dict[tuple[int, Code], list[Column]] = {}
    order: list[Column] = []
    placed: list[list[Column]] = []
    for role, frames in kinds:
        mine: dict[Code, list[int]] = {}
        for number, frame in enumerate(frames):
            mine.setdefault(code_of(frame), []).append(number)
        columns: dict[int, Column] = {}
        for code, numbers in mine.items():
            before = of_code.setdefault((role, code), [])
            graphs = [frames[number].graph for number in numbers]
            columns.update(zip(numbers, _align_code(code, role, before, graphs), strict=True))
        row = [columns[number] for number in range(len(frames))]
        _insert(order, row)
        placed.append(row)
    return order, placed


def code_of(frame: Frame) -> Code:
    """Return what identifies the code object of a frame on every rank."""
    if frame.function is None:
        return (frame.key,)
    path = (frame.filename or "").replace("\\", "/").split("/")
    return (frame.function, "/".join(path[-_PATH_PARTS:]), frame.first_line)


def _align_code(code: Code, role: int, columns: list[Column], graphs: list[str | None]) -> list[Column]:
    """Return the columns of the compiles of one code object. Add new ones to ``columns``."""
    before = [column.graph for column in columns]
    if not before or before == graphs:
        columns[:] = columns or [Column(code, graph, role) for graph in graphs]
        return list(columns)
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, graphs, autojunk=False)
    row: list[Column] = []
    grown: list[Column] = []
    for _, start, end, first, last in matcher.get_opcodes():
        old = columns[start:end]
        new = [Column(code, graph, role) for graph in graphs[first + len(old) : last]]
        grown += [*old, *new]
        row += [*old[: last - first], *new]
    columns[:] = grown
    return row


def _insert(order: list[Column], row: list[Column]) -> None:
    """Insert new columns after their predecessors."""
    places = {id(column): place for place, column in enumerate(order)}
    after: dict[int, list[Column]] = {}
    last = -1
    for column in row:
        place = places.get(id(column))
        if place is None:
            after.setdefault(last, []).append(column)
        else:
            last = place
    if after:
        order[:] = [
            *after.get(-1, ()),
            *(c for place, column in enumerate(order) for c in (column, *after.get(place, ()))),
        ]
