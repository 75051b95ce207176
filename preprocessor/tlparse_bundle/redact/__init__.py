"""Redacted bundles: with other names, and without private content."""
