"""Parts of sentences about ranks: plain text with code between backticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, duration, large, listed, plural
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.statements.ranks.rank_finding import CallCells, RankFinding

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankCompilesRow

_MOST_RUNS = 4  # runs of ranks in a sentence
_HOUR_US, _DAY_US = 3_600_000_000, 24 * 3_600_000_000


class Words:
    """Parts of the sentences of a finding. ``compiles``: rows of ``rank_compiles``."""

    def __init__(self, finding: RankFinding, compiles: Sequence[RankCompilesRow]):
        self.finding = finding
        self.details = finding.details
        self.facts = finding.facts
        self._compiles = compiles

    @property
    def ranks(self) -> str:
        return ranks_text(self.finding.ranks)

    @property
    def others(self) -> str:
        return ranks_text(self.finding.others)

    def verb(self, one: str, several: str) -> str:
        """Return the form of a verb that agrees with ``ranks``."""
        return one if size(self.finding.ranks) == 1 else several

    def others_verb(self, one: str, several: str) -> str:
        """Return the form of a verb that agrees with ``others``."""
        return one if size(self.finding.others) == 1 else several

    @property
    def mine(self) -> str:
        """The compile as "`block` [1/0]", with its id on ``ranks``."""
        return self.compile(self.finding.rank_compile, self.finding.compile)

    @property
    def theirs(self) -> str:
        """The compile as "`block` [1/0]", with its id on ``others``."""
        return self.compile(self.finding.rank_compile, self.finding.others_compile)

    def compile(self, column: int | None, key: str | None = None) -> str:
        """Return the function of a matched compile with its id, or with ``key``."""
        if column is None:
            return function_text(None) + (f" [{key}]" if key else "")
        row = self._compiles[column]
        return f"{function_text(row['function'])} [{key or row['compile']}]"


Template = Callable[[Words], str | tuple[str, str]]  # returns the title, or (title, text)
Templates = Mapping[str, Template]  # by kind


def sentences(
    finding: RankFinding, templates: Templates, compiles: Sequence[RankCompilesRow]
) -> tuple[str, str]:
    """Return (title, text) of a finding."""
    worded = templates[finding.kind](Words(finding, compiles))
    title, text = (worded, "") if isinstance(worded, str) else worded
    groups = finding.details.get("group_count")
    more = f"The ranks form {groups:,} groups that all differ; this is the first." if groups else ""
    return large(title), "\n\n".join(filter(None, [text, more]))


def size(runs: Sequence[Sequence[int]]) -> int:
    """Return the number of ranks."""
    return sum(last - first + 1 for first, last in runs)


def numbers(runs: Sequence[Sequence[int]]) -> str:
    """Return ranks as "0, 1 and 3–511", or "0, 2, 4 and 253 more"."""
    parts = [
        part
        for first, last in runs
        for part in (
            [(first, last)] if last - first > 1 else [(rank, rank) for rank in range(first, last + 1)]
        )
    ]
    kept = parts if len(parts) <= _MOST_RUNS else parts[: _MOST_RUNS - 1]
    texts = [str(first) if first == last else f"{first}–{last}" for first, last in kept]
    left = size(runs) - size(kept)
    return listed([*texts, f"{left:,} more"] if left else texts, _MOST_RUNS)


def ranks_text(runs: Sequence[Sequence[int]]) -> str:
    """Return ranks as "rank 2", "ranks 0, 1 and 3"."""
    return f"rank {numbers(runs)}" if size(runs) == 1 else f"ranks {numbers(runs)}" if runs else "no rank"


def all_ranks(count: int) -> str:
    """Return "All 4 ranks"; "Both ranks" for two."""
    return "Both ranks" if count == 2 else f"All {plural(count, 'rank')}"


def when(epoch_us: int) -> str:
    """Return a time in UTC."""
    return datetime.fromtimestamp(epoch_us / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def long_time(us: int) -> str:
    """Return a duration as "14.9 s", "3.5 h", "12 days"."""
    return (
        duration(us)
        if us < 2 * _HOUR_US
        else f"{us / _HOUR_US:.1f} h"
        if us < 2 * _DAY_US
        else f"{round(us / _DAY_US):,} days"
    )


def function_text(name: str | None) -> str:
    """Return the name of a function; for a resume function, the line where it resumes."""
    part = resume_function(name)
    return code(
        f"{part.function}, resumed at line {part.line}"
        if part and part.line
        else name or "(unknown function)"
    )


def call_text(call: CallCells) -> str:
    """Return "`all_reduce` (sum) of f32 (16, 8) in group `0`", without cells that are not recorded."""
    shape = f"({', '.join(map(str, call['shape']))})" if call["shape"] is not None else None
    tensor = " ".join(filter(None, [call["dtype"], shape]))
    parts = [
        code(call["op"]),
        f"({call['reduce_op']})" if call["reduce_op"] else None,
        f"of {tensor}" if tensor else None,
        f"from rank {call['root']}" if call["root"] is not None else None,
        f"in group {code(call['group'])}" if call["group"] is not None else None,
    ]
    return " ".join(filter(None, parts))


def are(count: int) -> str:
    return "is" if count == 1 else "are"
