"""The pieces that vLLM compiles, put together from its records."""
