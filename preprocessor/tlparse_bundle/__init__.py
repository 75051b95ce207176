"""Turns TORCH_TRACE logs into bundles, and reads bundles.

``Bundle.open(path)`` reads one; ``discover(paths)`` and ``build(logs, out)`` make one.
"""

__version__ = "0.1.0"
__all__ = ["Bundle", "BundleError", "__version__", "build", "discover"]

_HOMES = {
    "Bundle": "tlparse_bundle.read.reader",
    "BundleError": "tlparse_bundle.errors",
    "discover": "tlparse_bundle.trace.discover",
}


def __getattr__(name: str):  # imported on first use, so that --help and --version start fast
    from importlib import import_module

    if name == "build":  # the room of that name, which can be called
        return import_module("tlparse_bundle.build")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
