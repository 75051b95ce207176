"""Redacts bundles: other names, and no private content."""
