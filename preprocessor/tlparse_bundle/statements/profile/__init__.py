"""Joins torch.profiler traces with the compiles of a log."""
