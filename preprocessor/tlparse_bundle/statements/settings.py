"""Values of torch settings, from its metrics and AOTAutograd records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.base.wording import code
from tlparse_bundle.bundle.json_codec import dumps, loads
from tlparse_bundle.statements.facts import Facts

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import MetricConfigsRow

SETTING_MODULES = {
    "inductor_config": "torch._inductor.config",
    "dynamo_config": "torch._dynamo.config",
    "functorch_config": "torch._functorch.config",
}
MAX_WORD = 40  # characters of a value in a sentence
SWITCHES = {"true": "on", "false": "off"}
# Words in names of settings that depend on the machine, not on the compile.
_OF_MACHINES = frozenset(("dir", "path", "pid", "port", "upload"))


def settings_of(configs: Iterable[MetricConfigsRow]) -> dict[str, dict[str, str]]:
    """Return the settings of the first compile by configuration and name, as JSON.

    Those that depend on the machine are left out.
    """
    settings: dict[str, dict[str, str]] = {}
    for config in configs:
        if config["base"] is None and type(config["value"]) is dict:
            settings.setdefault(config["field"], dict(_comparable(dumps(config["value"]))))
    return settings


@lru_cache(maxsize=64)  # ranks of a job have the same settings
def _comparable(config: bytes) -> Mapping[str, str]:
    return {
        name: normalised(dumps(value).decode())
        for name, value in loads(config).items()
        if _OF_MACHINES.isdisjoint(re.split(r"[._]", name))
    }


def setting_words(name: str, value: str) -> str:
    """Return "`epilogue_fusion` off", "`max_fusion_size` 1"."""
    return f"{code(name)} {SWITCHES.get(value) or code(value if len(value) <= MAX_WORD else '…')}"


def settings(facts: Facts) -> Settings:
    """Return the settings of a log, for ``facts.once``."""
    return Settings(facts)


class Settings:
    def __init__(self, facts: Facts):
        self._facts = facts

    def value(self, name: str) -> Any:
        """Return a setting such as 'dynamo_config.specialize_int'; None when not recorded or not constant."""
        values = self._values.get(name, [])
        return values[0] if len(values) == 1 else None

    def value_at(self, compile_index: int, field: str, name: str) -> Any:
        """Return ('dynamo_config', 'specialize_int'), for example, in one compile; None when not recorded."""
        event = self._facts.compiles[compile_index]["metrics_event"]
        metrics = self._facts.metrics_of(event)
        number = metrics and metrics["configs"].get(field)
        if number is None:
            return None
        configs = self._facts.table("metric_configs")
        config = configs[number]
        base = config if config["base"] is None else configs[config["base"]]
        return config["changes"].get(name, (base["value"] or {}).get(name))

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        """Recorded values of each setting."""
        by_name: dict[str, list[Any]] = {}
        for name, value in self._recorded():
            values = by_name.setdefault(name, [])
            if value not in values:
                values.append(value)
        return by_name

    def _recorded(self) -> Iterator[tuple[str, Any]]:
        for config in self._facts.table("metric_configs"):
            values = config["value"] or config["changes"]
            yield from ((f"{config['field']}.{name}", value) for name, value in values.items())
        last: dict[str, Any] | None = None
        for row in self._facts.lists("functorch_configs"):
            if row["config"] != last:  # most records repeat the last config
                last = row["config"]
                yield from ((f"functorch_config.{name}", value) for name, value in (last or {}).items())
