"""Atomic folders and files."""
