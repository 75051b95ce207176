"""Bundles with other names and without what should stay in the house."""
