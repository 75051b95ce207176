"""Findings, summaries, and tables derived from other tables of a log."""
