"""Memory of generated code, computed from its text."""
