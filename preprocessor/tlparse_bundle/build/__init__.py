"""Logs to a bundle: the stages that a log goes through, the target, the workers.

Called, it builds: ``from tlparse_bundle import build`` is the function of this room (build/build.py),
though the room has its name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from tlparse_bundle.build.build import build

        return build(*args, **options)


sys.modules[__name__].__class__ = _Room  # as "Customizing module attribute access" of Python's data model has it
