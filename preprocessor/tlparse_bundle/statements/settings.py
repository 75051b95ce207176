"""Values of torch settings, from its metrics and AOTAutograd records."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from tlparse_bundle.statements.facts import Facts


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
