"""Limits and baselines: an outcome for each rule."""
