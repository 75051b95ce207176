from tlparse_bundle.base.errors import BundleError as BundleError
from tlparse_bundle.bundle.reader import Bundle as Bundle
from tlparse_bundle.log.discover import discover as discover
from tlparse_bundle.pipeline.build import build as build

__version__: str
__all__ = ["Bundle", "BundleError", "__version__", "build", "discover"]
