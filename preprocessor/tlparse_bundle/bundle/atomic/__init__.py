"""Atomic folders and files."""

# What this process has put in place, so that whoever ends it early does not say that nothing was written.
finished_places: list[str] = []
