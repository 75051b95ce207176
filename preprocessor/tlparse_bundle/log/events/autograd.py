"""Compiled autograd (torch/_dynamo/compiled_autograd.py)."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "compiled_autograd_graph",
        "graph",
        "autograd",
        "fx",
        "The backward graph that compiled autograd captured.",
    ),
    Kind(
        "artifact:compiled_autograd_graph_pre_reordering",
        "graph before reordering",
        "autograd",
        "fx",
        "The same graph before its nodes were reordered.",
    ),
    Kind(
        "artifact:compiled_autograd_compile_reasons",
        "compile reasons",
        "autograd",
        "json",
        "Why compiled autograd captured again.",
    ),
)
