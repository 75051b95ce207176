"""What this process has put in place, so that whoever ends it early does not say that nothing was written."""

places: list[str] = []
