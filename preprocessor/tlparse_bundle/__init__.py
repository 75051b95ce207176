"""Turns TORCH_TRACE logs into bundles, and reads bundles.

``Bundle.open(path)`` reads one; ``discover(paths)`` and ``build(logs, out)`` make one.
"""

__version__ = "0.2.0.dev0"
__all__ = ["Bundle", "BundleError", "__version__", "build", "discover"]

_HOMES = {
    "Bundle": "tlparse_bundle.bundle.reader",
    "BundleError": "tlparse_bundle.base.errors",
    "build": "tlparse_bundle.pipeline.build",
    "discover": "tlparse_bundle.log.discover",
}


def __getattr__(name: str) -> object:  # imported on first use, so that --help and --version start fast
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
