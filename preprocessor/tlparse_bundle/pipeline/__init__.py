"""Logs to a bundle: stages, processes, Dask, merging."""
