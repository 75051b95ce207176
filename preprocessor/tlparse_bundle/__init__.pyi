from tlparse_bundle.build.build import build as build
from tlparse_bundle.errors import BundleError as BundleError
from tlparse_bundle.read.reader import Bundle as Bundle
from tlparse_bundle.trace.discover import discover as discover

__version__: str
__all__ = ["Bundle", "BundleError", "__version__", "build", "discover"]
