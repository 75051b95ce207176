"""Trends of many runs: metrics, jumps, the document."""
