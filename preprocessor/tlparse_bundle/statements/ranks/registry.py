"""The analyses that compare ranks, and the modules that create findings from their tables.

To add one, write a module and list it here. Other packages use the entry points ``tlparse_bundle.ranks``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tlparse_bundle.base.plugins import Loaded, need, own_name, plugins
from tlparse_bundle.bundle.layout import is_own
from tlparse_bundle.statements.ranks import (
    call_findings,
    call_order,
    collectives,
    estimates,
    execution,
    graph_findings,
    graphs,
    health,
    logs,
    matching,
    occurrences,
    point_to_point,
    rank_settings,
    skew,
)
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.flight_recorder import findings as flight_recorder
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.wording import Templates
from tlparse_bundle.statements.statement import KindReference


class Analysis(Protocol):
    """An analysis: a digest of each log, and tables built from all digests. ``name`` is unique."""

    name: str

    def digest(self, frames: Frames) -> Any:
        """Return a small JSON value for one log. Called in a worker process."""

    def tables(self, comparison: Comparison, digests: Sequence[Any], tables: Tables) -> Iterable[RankTable]:
        """Yield (name, rows) of each table. All rows of a table have the same keys in the same order.

        ``digests`` are in the order of the members; equal ones are one object. ``tables``: tables of earlier
        analyses, by name.
        """


# In the order in which they run. Findings use the tables of all.
ANALYSES: tuple[type[Analysis], ...] = (
    matching.Matching,
    graphs.Graphs,
    occurrences.Occurrences,
    skew.Caches,
    collectives.Collectives,
    estimates.Tensors,
    estimates.Runtime,
    execution.Execution,
    skew.Skew,
    health.Health,
    call_order.Order,
    point_to_point.PointToPoint,
    rank_settings.SettingsOfRanks,
)


class KindModule(Protocol):
    """A module that creates findings, with the template of each of its kinds."""

    TEMPLATES: Templates
    REFERENCE: dict[str, KindReference]

    def findings(self, finder: Finder) -> Iterator[RankFinding]: ...


# In the order in which they run; of equal findings, the first one stays.
KIND_MODULES: tuple[KindModule, ...] = (
    logs,
    health,
    call_findings,
    point_to_point,
    rank_settings,
    flight_recorder,
    occurrences,
    matching,
    graph_findings,
    collectives,
    execution,
    estimates,
    skew,
)
TEMPLATES: Templates = {
    kind: template for module in KIND_MODULES for kind, template in module.TEMPLATES.items()
}
REFERENCE: dict[str, KindReference] = {
    kind: reference for module in KIND_MODULES for kind, reference in module.REFERENCE.items()
}

ENTRY_POINTS = "tlparse_bundle.ranks"


def analyses() -> list[Analysis]:
    """Return our analyses, in the order in which they run."""
    return [analysis() for analysis in ANALYSES]


@dataclass(frozen=True)
class PluginAnalysis:
    """The analysis of a plug-in: its name and factory."""

    name: str
    make: Callable[[], Analysis]


def plugin_analyses() -> Loaded:
    """Load the analyses of plug-ins, as PluginAnalysis objects."""
    taken = {analysis.name for analysis in ANALYSES}

    def prepared(cls: Any) -> PluginAnalysis:
        analysis = cls()
        need(analysis, "digest", "tables", of="the analysis")
        return PluginAnalysis(own_name(analysis.name, taken, lambda name: is_own(f"ranks/{name}.jsonl")), cls)

    return plugins(ENTRY_POINTS, prepared)
