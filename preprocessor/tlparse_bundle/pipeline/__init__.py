"""Builds a bundle from logs: stages, processes, Dask, merging."""
