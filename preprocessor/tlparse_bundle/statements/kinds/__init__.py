"""The kinds of findings of a log, a module for each."""
