"""Pieces that vLLM compiles, assembled from its records."""
