"""Parsers of what torch writes as text: guards, graphs, generated code, graph breaks, tracebacks."""
