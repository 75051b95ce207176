"""Which source line, graph node and kernel belong together."""
