"""Plug-ins of other packages, through entry points.

A plug-in that fails is left out, and its error becomes a diagnostic ``plugin-failed`` of the bundle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from tlparse_bundle.base.machine_text import without_addresses

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLUGIN_FAILED = "plugin-failed"  # the code of the diagnostic
_MAX_MESSAGE = 300


@dataclass(frozen=True)
class Plugin:
    """An entry point and the object that it loads, as ``prepare`` returned it."""

    group: str
    name: str
    package: str  # name and version of the distribution
    module: str
    object: Any = None

    def __str__(self) -> str:
        return f"Plug-in {self.name!r} ({self.group}) of {self.package}"


@dataclass(frozen=True)
class Loaded:
    """The plug-ins of a group, and the faults of those that could not be loaded, both by name."""

    plugins: tuple[Plugin, ...]
    faults: tuple[str, ...]


class Guard:
    """Calls a plug-in. Its first exception becomes its ``fault``, and it is not called again."""

    def __init__(self, plugin: Plugin):
        self._plugin = plugin
        self.fault: str | None = None

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function returns, or None when the plug-in has failed."""
        if self.fault is not None:
            return None
        try:
            return function(*arguments)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            # Sorted, so that equal runs write equal bundles.
            text = " ".join(without_addresses(str(error)).split())
            message = f"{type(error).__name__}: {text}" if text else type(error).__name__
            message = message if len(message) <= _MAX_MESSAGE else message[:_MAX_MESSAGE] + "…"
            fault = f"{self._plugin} failed{_place(error, self._plugin.module)}: {message}"
            self.fault = fault.encode("utf-8", "replace").decode()
        return None


_loaded: dict[str, Loaded] = {}  # by group


def plugins(group: str, prepare: Callable[[Any], Any]) -> Loaded:
    """Load the entry points of a group, such as ``tlparse_bundle.tables``, once in a process.

    ``prepare`` gets each object that was loaded and returns what to use; it raises when the object is not
    what the group asks for.
    """
    if group not in _loaded:
        working, faults = [], []
        for entry in _by_group().get(group, ()):
            plugin = Plugin(group, entry.name, _package(entry), entry.module)
            guard = Guard(plugin)
            loaded = guard(lambda entry: prepare(entry.load()), entry)
            if guard.fault is None:
                working.append(replace(plugin, object=loaded))
            else:
                faults.append(guard.fault)
        _loaded[group] = Loaded(tuple(working), tuple(faults))
    return _loaded[group]


def own_name(name: Any, taken: set[str], fits: Callable[[str], bool]) -> str:
    """Return the name of a plug-in's object and add it to ``taken``. Raise ValueError for an invalid or
    taken name.
    """
    if type(name) is not str or len(name) > 100 or not fits(name):
        raise ValueError(f"{name!r} is not a name: use letters, digits, '.', '_' and '-'")
    if name.lower() in taken:
        raise ValueError(f"the name {name!r} is taken")
    taken.add(name.lower())
    return name


def need(thing: Any, *names: str, of: str) -> None:
    """Raise TypeError unless all these methods or functions exist. ``of``: name of ``thing`` in messages."""
    for name in names:
        if not callable(getattr(thing, name, None)):
            raise TypeError(f"{of} has no function {name!r}")


@cache
def _by_group() -> dict[str, list[EntryPoint]]:
    """Return entry points by group, scanned once, which takes as long as a few thousand records."""
    from importlib.metadata import entry_points  # it takes longer to import than our own modules

    entries = entry_points()
    return {
        group: sorted(
            entries.select(group=group), key=lambda entry: (entry.name, _package(entry), entry.value)
        )
        for group in entries.groups
        if group.startswith("tlparse_bundle.")
    }


def _package(entry: EntryPoint) -> str:
    return (
        f"the package {entry.dist.name} {entry.dist.version}"
        if entry.dist is not None
        else "an unknown package"
    )


def _place(error: BaseException, module: str) -> str:
    """Return file and line in the plug-in's package where an exception was raised, without folders."""
    place, step = "", error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if str(step.tb_frame.f_globals.get("__name__")).partition(".")[0] == module.partition(".")[0]:
            file = code.co_filename.replace("\\", "/").rpartition("/")[2]
            place = f" in {file}:{step.tb_lineno}"
        step = step.tb_next
    return place
