"""The kinds of events: a module for each family, and their registry."""
