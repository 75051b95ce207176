"""What went wrong while exporting: the rows of tlparse's report of a draft export, as data."""

from __future__ import annotations

from tlparse_bundle.legacy.outputs import PAGE, Output
from tlparse_bundle.legacy.records import Record

GUARD_PAGE = Output(PAGE, "symbolic_guard_information.html")

# Key of the envelope: type of the failure, its texts, and whether a page tells about its guard.
_FAILURES = {
    "guard_added": ("Guard Evaluated", ("expr",), True),
    "propagate_real_tensors_provenance": ("Data Dependent Error", ("expr", "result"), True),
    "missing_fake_kernel": ("Missing Fake Kernel", ("op",), False),
    "mismatched_fake_kernel": ("Mismatched Fake Kernel", ("op", "reason"), False),
}


def failures(record: Record) -> list[tuple[str, dict, bool]]:
    """(key of the envelope, row, has a page) of each failure that a record tells.

    tlparse ends with a panic when one of the texts is missing, and loses records whose
    ``frame_locals`` hold lists, as torch 2.13 writes them; here a text may be None.
    """
    found = []
    for key, (failure, texts, has_page) in _FAILURES.items():
        metadata = record.metadata(key)
        if metadata is not None:
            row = {text: metadata.get(text) if type(metadata.get(text)) is str else None for text in texts}
            found.append((key, {"type": failure, **row}, has_page))
    return found


def is_ignored(record: Record) -> bool:
    """Whether it is a guard that did not decide anything about the export."""
    guard = record.metadata("guard_added")
    return guard is not None and guard.get("prefix") != "eval"
