"""Links between source lines, graph nodes and kernels."""
