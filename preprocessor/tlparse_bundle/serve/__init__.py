"""Shared code of the server and published folders."""
