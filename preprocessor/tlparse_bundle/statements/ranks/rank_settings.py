"""Settings of torch that differ between ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tlparse_bundle.base.wording import code, listed, plural
from tlparse_bundle.statements.ranks.comparison import Comparison, RankTable, Tables
from tlparse_bundle.statements.ranks.frames import Frames
from tlparse_bundle.statements.ranks.rank_finding import Finder, RankFinding
from tlparse_bundle.statements.ranks.rank_sets import grouped
from tlparse_bundle.statements.ranks.wording import Templates, Words
from tlparse_bundle.statements.settings import SETTING_MODULES, setting_words, settings_of
from tlparse_bundle.statements.statement import KindReference

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import RankSettingsRow

_MAX_VALUE = 200  # characters
_MOST_WORDS = 2  # settings in a title
_MOST_NAMES = 20


class SettingsOfRanks:
    name = "settings"

    def digest(self, frames: Frames) -> dict[str, dict[str, str]]:
        """Return the settings of a log by configuration and name."""
        return settings_of(frames.table("metric_configs"))

    def tables(
        self, comparison: Comparison, digests: Sequence[dict[str, dict[str, str]]], tables: Tables
    ) -> Iterator[RankTable]:
        yield "rank_settings", list(_differing(comparison, digests))


def _differing(
    comparison: Comparison, digests: Sequence[dict[str, dict[str, str]]]
) -> Iterator[RankSettingsRow]:
    """Yield a row for each value of a setting that differs between ranks with one version of torch."""
    versions = {member.row["torch_version"] for member in comparison.members}
    distinct = list({id(digest): digest for digest in digests}.values())
    if len(distinct) < 2 or len(versions) > 1:
        return
    for config in sorted(set.intersection(*(set(digest) for digest in distinct))):
        for name in sorted(set.intersection(*(set(digest[config]) for digest in distinct))):
            if len({digest[config][name] for digest in distinct}) > 1:
                values = grouped((digest[config][name], (number,)) for number, digest in enumerate(digests))
                for value, members in values:
                    yield {
                        "config": config,
                        "name": name,
                        "value": value[:_MAX_VALUE],
                        "ranks": comparison.ranks(members),
                    }


def findings(finder: Finder) -> Iterator[RankFinding]:
    """Yield the settings of ranks that differ from most."""
    usual: dict[tuple[str, str], RankSettingsRow] = {}
    by_ranks: dict[str, list[RankSettingsRow]] = {}
    for row in finder.table("rank_settings"):
        if usual.setdefault((row["config"], row["name"]), row) is not row:
            by_ranks.setdefault(str(row["ranks"]), []).append(row)
    for rows in by_ranks.values():
        settings = [
            {
                "config": row["config"],
                "name": row["name"],
                "here": row["value"],
                "others": usual[row["config"], row["name"]]["value"],
            }
            for row in rows
        ]
        others = usual[rows[0]["config"], rows[0]["name"]]["ranks"]
        yield finder.finding(
            "settings",
            "warning",
            rows[0]["ranks"],
            "rank_settings",
            {"settings": settings[:_MOST_NAMES], "setting_count": len(settings)},
            others=others,
        )


def _settings(words: Words) -> tuple[str, str]:
    settings = words.details["settings"]
    shown = [setting_words(one["name"], one["here"]) for one in settings[:_MOST_WORDS]]
    left = words.details["setting_count"] - len(shown)
    more = [f"{left:,} more"] if left else []
    names = [code(f"{SETTING_MODULES.get(one['config'], one['config'])}.{one['name']}") for one in settings]
    values = ", ".join(setting_words(one["name"], one["others"]) for one in settings[:_MOST_WORDS])
    return (
        f"{words.ranks} {words.verb('has', 'have')} different settings: {listed([*shown, *more], 3)}",
        f"On {words.others}: {values}. {plural(words.details['setting_count'], 'setting')}:"
        f" {listed(names, _MOST_NAMES)}.",
    )


TEMPLATES: Templates = {"settings": _settings}
REFERENCE: dict[str, KindReference] = {
    "settings": KindReference(
        "Different settings",
        "Ranks ran with different settings of Dynamo or Inductor, so they can compile the same program "
        "differently.",
        "Set the options in code that every rank runs, or in the environment of all machines.",
        "Only settings that every rank records are compared, and only between equal versions of torch.",
    ),
}
