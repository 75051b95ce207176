"""What goes out of a bundle: classes of content, and the two presets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tlparse_bundle.errors import BundleError

CLASSES: Mapping[str, str] = {
    "payloads": "the artifacts: graphs, generated code, guards and logs as torch wrote them; the timeline stays",
    "source": "lines of source code, in stacks, comments and messages",
    "guards": "the tables of guards and of symbolic expressions",
    "strings": "text in quotation marks that has a space in it",
    "metadata": "what records hold besides the fields of the tables; metrics of compilations stay",
    "verbatim": "the log as it was, from which it could be restored",
    "names": "names of functions, classes, files, modules, tensors, hosts and users: each becomes another name, the same everywhere",
}
PRESETS: Mapping[str, frozenset[str]] = {
    "share-with-public": frozenset(("payloads", "source", "strings", "verbatim", "names")),
    "share-with-vendor": frozenset(("source", "strings", "verbatim", "names")),
}
PUBLIC = "share-with-public"


@dataclass(frozen=True)
class Policy:
    """``preset`` is None when what is dropped is not just what a preset says."""

    preset: str | None
    dropped: frozenset[str]

    @property
    def rewrites(self) -> bool:
        """Whether words of the log change, so that the bundle is built again."""
        return bool(self.dropped & {"names", "source", "strings"})

    def as_row(self) -> dict:
        """As the manifest says it."""
        return {"preset": self.preset, "dropped": [name for name in CLASSES if name in self.dropped]}


def policy(preset: str | None = None, keep: Iterable[str] = (), drop: Iterable[str] = ()) -> Policy:
    """A preset (default: ``PUBLIC`` when nothing is to be dropped), with classes that stay or go besides. Raises BundleError for an unknown one, or one in both."""
    keep, drop = set(keep), set(drop)
    unknown = sorted((keep | drop) - set(CLASSES))
    if unknown:
        raise BundleError(f"nothing to keep or drop is called {', '.join(unknown)}", hint=f"There is: {', '.join(CLASSES)}.", code="bad-name", exit_code=2)
    if keep & drop:
        raise BundleError(f"{', '.join(sorted(keep & drop))} cannot be both kept and dropped", code="bad-name", exit_code=2)
    if preset is not None and preset not in PRESETS:
        raise BundleError(f"there is no preset {preset}", hint=f"There is: {', '.join(PRESETS)}.", code="bad-name", exit_code=2)
    if preset is None and not drop:
        preset = PUBLIC
    base = PRESETS[preset] if preset else frozenset()
    dropped = (base | drop) - keep | {"verbatim"}  # the log as it was holds all the others
    return Policy(preset if dropped == base else None, dropped)
