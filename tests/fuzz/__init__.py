"""Hostile bundles and logs for every command; `scripts/fuzz` runs them.

A package, so that its modules have names of their own.
"""
