"""Shared helpers: errors, diagnostics, wording, plug-ins, signals, remote files."""
