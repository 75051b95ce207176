"""docs/reference/findings.md: what each kind of finding means, an example from a fixture, what to do."""

from __future__ import annotations

import atexit
import importlib
import pkgutil
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import tlparse_bundle.statements as statements
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.statements.ranks.rank_finding import KINDS as RANK_KINDS
from tlparse_bundle.statements.registry import kinds
from tlparse_bundle.statements.statement import KindReference

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
import job_cases

# Below fixtures/. The example of a kind is the first finding of that kind, in this order.
LOGS = (
    "recompiles/trace",
    "graph_breaks/trace",
    "caches/trace",
    "versions/2.13.0/no_compiler.log.zst",
    "failures/trace",
    "dynamic_shapes/trace",
    "export_dtrace/trace",
    "killed/trace",
    "vllm/llama-fail",
    "vllm/llama-cold",
    "vllm/llama-jit-warm",
    *(
        f"versions/2.13.0/{name}.log.zst"
        for name in ("autotune", "unpicklable", "cudagraphs", "guards", "no_wait", "many")
    ),
    "versions/2.4.1/breaks.log.zst",
    "jobs/cut_log",
    "jobs/in_branch",
    "profiler/breaks/trace",
    "profiler/fallbacks/trace",
)
RANKS = (
    "jobs/other_shape",
    "ranks_straggler/trace",
    *(
        f"jobs/{name}"
        for name in (
            "extra_then_hang",
            "absent_caller",
            "all_failed",
            "inside_compile",
            "backend_fails_one",
            "cached_before",
            "equal_logs",
            "other_group",
            "pipeline_broken",
            "last_missing",
            "late",
            "restart",
            "two_versions",
            "one_skips",
            "swapped",
            "other_recompile",
            "no_wait",
            "cut_log",
            "empty_log",
            "in_branch",
            "other_dynamic_size",
        )
    ),
    "ranks_execution_order/trace",
    "ranks_extra_break/trace",
    "versions/2.4.1/ddp",
    "versions/2.4.1",
    *(f"parallel/{name}" for name in ("vocabulary", "order_circle", "other_options", "ring_wrong_peer")),
)


_HEAD = """# Findings

A finding says what happened in a log, where, what it cost, and what to do. Each kind has an entry on this
page, with an example from the logs in `fixtures/` where there is one. `scripts/docs` writes the page.

`tlparse-bundle report out/ --kind recompile` prints the findings of one kind. The tables
[findings](../tables/findings.md) and [rank_findings](../tables/rank_findings.md) describe the fields.
"""


def references(of_ranks: bool) -> dict[str, KindReference]:
    """Return the REFERENCE entries by kind, of logs or of ranks."""
    entries: dict[str, KindReference] = {}
    for info in pkgutil.walk_packages(statements.__path__, f"{statements.__name__}."):
        if (".ranks" in info.name) == of_ranks:
            entries |= getattr(importlib.import_module(info.name), "REFERENCE", {})
    return entries


def missing() -> list[str]:
    """Return the kinds without an entry, such as 'ranks: guard'."""
    logs, ranks = references(False), references(True)
    return [kind for kind in kinds() if kind not in logs] + [
        f"ranks: {kind}" for kind in RANK_KINDS if kind not in ranks
    ]


def findings_page(root: Path, bundle_of: Callable[[Path], Bundle]) -> str:
    """The text of the page, with examples from bundles of folders of logs."""
    parts = [_HEAD, "## One log"]
    parts += _sections(kinds(), references(False), _examples(root, bundle_of, LOGS, of_ranks=False))
    parts += ["## Several ranks"]
    parts += _sections(RANK_KINDS, references(True), _examples(root, bundle_of, RANKS, of_ranks=True))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _sections(
    names: Iterable[str], entries: dict[str, Any], examples: dict[str, tuple[str, dict[str, Any]]]
) -> list[str]:
    return [
        _section(kind, entries[kind], examples.get(kind)) for kind in dict.fromkeys(names) if kind in entries
    ]


def _section(kind: str, entry: Any, example: tuple[str, dict[str, Any]] | None) -> str:
    lines = [f"### {entry.title}", f"Kind: `{kind}`", entry.meaning]
    if example:
        place, row = example
        text = re.sub(r"```.*?```", "", row["text"] or "", flags=re.DOTALL)
        paragraphs = [row["title"], *(" ".join(line.split()) for line in text.splitlines() if line.strip())]
        archive = ".tar.zst" if place.startswith("parallel/") else ""
        lines.append(f"**Example** from `fixtures/{place}{archive}`:")
        lines.append("\n>\n".join(f"> {_plain(paragraph)}" for paragraph in paragraphs))
    else:
        lines.append("No log in `fixtures/` shows this finding.")
    lines += [f"**What to do:** {entry.fix}", f"**Limits:** {entry.not_when}"]
    return "\n\n".join(lines)


def _plain(text: str) -> str:
    """A text of a log with the characters that Markdown reads escaped, outside of code spans."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"([<>*_\[\]\\|])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def _examples(
    root: Path, bundle_of: Callable[[Path], Bundle], places: Iterable[str], *, of_ranks: bool
) -> dict[str, tuple[str, dict[str, Any]]]:
    """{kind: (fixture, row)}."""
    examples: dict[str, tuple[str, dict[str, Any]]] = {}
    for place in places:
        case = place.removeprefix("parallel/")
        bundle = bundle_of(root / "fixtures" / place if case == place else job_cases.unpacked(case))
        rows: list[Any] = (
            bundle.rank_table("rank_findings")
            if of_ranks
            else [row for log in bundle.logs for row in log.findings()]
        )
        for row in rows:
            examples.setdefault(row["kind"], (place, row))
    return examples


def built(logs: Path) -> Bundle:
    """Build the bundle of a folder of logs, and of the profiler traces beside it, until the script ends."""
    profiles = logs.parent / "profiles"
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    traced = [str(profiles)] if profiles.is_dir() else []
    build(discover([logs]), Path(folder.name, "out"), codec="none", jobs=1, profile=traced)
    return Bundle.open(Path(folder.name, "out"))
