"""Settings of torch that differ between two runs, in words, and what each of them explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tlparse_bundle.base.wording import code, listed, plural
from tlparse_bundle.statements.runs.compare.change import Change
from tlparse_bundle.statements.runs.compare.compile_pairs import Pairs
from tlparse_bundle.statements.runs.compare.run import Run
from tlparse_bundle.statements.settings import MAX_WORD, SETTING_MODULES, SWITCHES, settings_of

_MAX_VALUE = 200  # characters of a value in details
_MOST = 5  # settings with a change of their own; the others share one
_MOST_NAMES = 20


class Effect(NamedTuple):
    """What a setting changes: kinds of changes, or of findings, with the words for why."""

    kinds: frozenset[str]
    why: str


_AUTOTUNES = Effect(frozenset(("time",)), "autotuning compiles and measures several kernels")
_SHAPES = Effect(
    frozenset(("recompile", "recompile-limit", "graph", "compile", "specialization")),
    "it decides which sizes are dynamic",
)
_LIMITS = Effect(
    frozenset(("recompile-limit", "recompile", "compile")), "it limits the recompiles of a function"
)
_CAPTURES = Effect(
    frozenset(("graph-break", "compile", "graph", "restart")), "it decides what Dynamo captures in a graph"
)
_CACHES = Effect(frozenset(("cache",)), "it decides which caches torch uses")
_NOTHING = Effect(frozenset(), "")  # the log does not show what it changed
_WORKERS = Effect(frozenset(("time",)), "it sets how many kernels compile at once")
# The settings that users change, most telling first.
EFFECTS = {
    "max_autotune": _AUTOTUNES,
    "max_autotune_gemm": _AUTOTUNES,
    "max_autotune_pointwise": _AUTOTUNES,
    "coordinate_descent_tuning": _AUTOTUNES,
    "assume_static_by_default": _SHAPES,
    "automatic_dynamic_shapes": _SHAPES,
    "specialize_int": _SHAPES,
    "specialize_float": _SHAPES,
    "force_parameter_static_shapes": _SHAPES,
    "recompile_limit": _LIMITS,
    "cache_size_limit": _LIMITS,
    "accumulated_recompile_limit": _LIMITS,
    "accumulated_cache_size_limit": _LIMITS,
    "capture_scalar_outputs": _CAPTURES,
    "capture_dynamic_output_shape_ops": _CAPTURES,
    "trace_autograd_ops": _CAPTURES,
    "force_disable_caches": _CACHES,
    "fx_graph_cache": _CACHES,
    "fx_graph_remote_cache": _CACHES,
    "enable_autograd_cache": _CACHES,
    "compile_threads": _WORKERS,
    "epilogue_fusion": _NOTHING,
    "max_fusion_size": _NOTHING,
    "cpp_wrapper": _NOTHING,
    "freezing": _NOTHING,
    "triton.cudagraphs": _NOTHING,
}
_ALSO = {  # what users write, torch/_dynamo/eval_frame.py: set_enable_dynamic
    "assume_static_by_default": "`torch.compile(dynamic=True)` turns it off.",
    "automatic_dynamic_shapes": "`torch.compile(dynamic=False)` turns it off.",
}
_RANK = {name: number for number, name in enumerate(EFFECTS)}


class Setting(NamedTuple):
    """A changed setting; ``base`` and ``new`` are JSON."""

    config: str
    name: str
    base: str
    new: str

    @property
    def full_name(self) -> str:
        return f"{SETTING_MODULES.get(self.config, self.config)}.{self.name}"

    @property
    def words(self) -> str:
        """The new value and the old one, in a few words."""
        return value_words(self.name, self.base, self.new)


def value_words(name: str, base: str, new: str) -> str:
    """Return the new value of a setting and the old one, in a few words."""
    if new in SWITCHES and base in SWITCHES:
        return f"{code(name)} {SWITCHES[new]}, was {SWITCHES[base]}"
    if max(len(new), len(base)) > MAX_WORD:
        return f"{code(name)} has a different value"
    return f"{code(name)} is {code(new)}, was {code(base)}"


def setting_changes(pairs: Pairs) -> Iterator[Change]:
    """Yield a change for each setting that matters most, and one for all the others."""
    if not pairs.same_torch:
        return  # defaults differ between releases
    named = {
        part
        for row in pairs.rows
        for lookup in row.lookups
        if lookup.different is not None
        for part in lookup.different
    }
    settings = changed_settings(pairs.base.first, pairs.new.first)
    settings.sort(key=lambda one: (_RANK.get(one.name, len(_RANK)), f"{one.config}[{one.name}]" not in named))
    kept = len(settings) if len(settings) <= _MOST + 1 else _MOST
    for setting in settings[:kept]:
        yield Change(
            "setting",
            "info",
            setting.words,
            text=_full(setting),
            change="changed",
            details={
                "config": setting.config,
                "name": setting.name,
                "base": setting.base[:_MAX_VALUE],
                "new": setting.new[:_MAX_VALUE],
            },
            key=("setting", setting.config, setting.name),
        )
    others = settings[kept:]
    if others:
        names = [code(setting.full_name) for setting in others]
        yield Change(
            "setting",
            "info",
            f"{plural(len(others), 'other setting')} changed",
            text=f"{listed(names, _MOST_NAMES)}.",
            change="changed",
            count=len(others),
            details={"config": None, "name": None, "base": None, "new": None},
            key="settings",
        )


def _full(setting: Setting) -> str:
    """Return the full name, and both values if the title has no room for them."""
    now, before = (
        code(value if len(value) <= _MAX_VALUE else value[: _MAX_VALUE - 1] + "…")
        for value in (setting.new, setting.base)
    )
    is_long = max(len(setting.new), len(setting.base)) > MAX_WORD
    texts = [
        f"The setting {code(setting.full_name)}{f' is {now}, was {before}' if is_long else ''}.",
        _ALSO.get(setting.name),
    ]
    return " ".join(filter(None, texts))


def changed_settings(base: Run, new: Run) -> list[Setting]:
    """Return settings that both runs record with different values, by name."""
    ours, theirs = settings_of(base.configs), settings_of(new.configs)
    return [
        Setting(config, name, ours[config][name], theirs[config][name])
        for config in sorted(ours.keys() & theirs.keys())
        for name in sorted(ours[config].keys() & theirs[config].keys())
        if ours[config][name] != theirs[config][name]
    ]


def give_reasons(changes: Sequence[Change]) -> None:
    """Make each change without a cause the effect of the setting that explains it, and say so."""
    settings = [change for change in changes if change.kind == "setting" and change.details["name"]]
    for change in changes:
        if change.kind in ("setting", "torch") or change.because_of is not None:
            continue
        kind = change.details["kind"] if change.kind == "finding" else change.kind
        fitting = [
            (setting, effect)
            for setting in settings
            if (effect := EFFECTS.get(setting.details["name"])) is not None
            and kind in effect.kinds
            and _leads_to(setting, change, effect)
        ]
        if len(fitting) == 1:
            ((setting, effect),) = fitting
            change.because_of = setting.key
            reason = f"Reason: {setting.title}; {effect.why}."
        elif fitting:
            reason = f"Possible reasons: {'; '.join(setting.title for setting, _ in fitting)}."
        else:
            continue
        change.text = "\n\n".join(filter(None, [reason, change.text]))


def _leads_to(setting: Change, change: Change, effect: Effect) -> bool:
    """Return whether a change goes in the direction of its setting.

    Autotuning takes time, and workers save it.
    """
    base, new = str(setting.details["base"]), str(setting.details["new"])
    slower = change.change == "worse"
    if effect is _AUTOTUNES:
        return (new == "true") == slower
    if effect is _WORKERS:
        return new.isdigit() and base.isdigit() and (int(new) < int(base)) == slower
    return True
