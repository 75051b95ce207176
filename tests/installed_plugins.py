"""Packages with plug-ins, installed in a folder as pip would do it."""

import importlib
import sys
import textwrap

from tlparse_bundle.base import plugins
from tlparse_bundle.log.events import registry
from tlparse_bundle.tables import graphs, sources


def install(folder, entry_points, modules, name="engine"):
    """Write a package: the text of entry_points.txt, and {module name: source}."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(textwrap.dedent(source))
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))


def forget():
    """Forget entry points and modules, which a process reads only once."""
    of_kinds = (
        registry.known_kinds,
        registry._patterns,
        registry._named_kind,
        graphs._is_fx,
        sources._is_source,
    )
    for cached in (*of_kinds, plugins._by_group):
        cached.cache_clear()
    plugins._loaded.clear()
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.startswith("engine")]:
        del sys.modules[name]
