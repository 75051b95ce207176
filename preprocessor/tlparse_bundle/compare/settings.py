"""Settings of torch that two runs do not have in common: what its metrics record of its configurations."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tlparse_bundle.compare.run import Run
from tlparse_bundle.findings.places import normalised
from tlparse_bundle.format.json_codec import dumps

# Words of names of settings of the process and its place, not of what is compiled.
_OF_THE_PLACE = frozenset(("dir", "path", "pid", "port", "upload"))
MAX_VALUE = 200  # characters


class Setting(NamedTuple):
    """``base`` and ``new``: values as JSON; None where torch does not know the setting."""

    config: str
    name: str
    base: str | None
    new: str | None


def changed_settings(base: Run, new: Run) -> list[Setting]:
    """Settings that both runs record with different values, by name. A setting of one release only is no change of anybody's."""
    sides = [_settings(run) for run in (base, new)]
    found = []
    for config in sorted(sides[0].keys() & sides[1].keys()):
        ours, theirs = sides[0][config], sides[1][config]
        for name in sorted(ours.keys() & theirs.keys()):
            if dumps(ours[name]) == dumps(theirs[name]):
                continue
            one, two = _text(ours[name]), _text(theirs[name])
            if one != two and _OF_THE_PLACE.isdisjoint(re.split(r"[._]", name)):
                found.append(Setting(config, name, one, two))
    return found


def _settings(run: Run) -> dict[str, dict[str, Any]]:
    """By configuration: the settings that the first compile was made with."""
    found: dict[str, dict[str, Any]] = {}
    for config in run.configs:
        if config["base"] is None and type(config["value"]) is dict:
            found.setdefault(config["field"], config["value"])
    return found


def _text(value: Any) -> str:
    """The same on another machine."""
    return normalised(dumps(value).decode())[:MAX_VALUE]
