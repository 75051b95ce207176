"""Hostile bundles and logs for every command; `scripts/fuzz` runs them.

A package, so its modules have their own namespace.
"""
