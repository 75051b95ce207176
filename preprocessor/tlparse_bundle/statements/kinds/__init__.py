"""The kinds of findings of a log, grouped into modules."""
