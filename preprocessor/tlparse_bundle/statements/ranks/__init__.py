"""Comparison of ranks, one module per analysis."""
