"""Atomic folders and files."""

# Paths that this process has written, so that an interrupt does not claim that nothing was written.
finished_places: list[str] = []
