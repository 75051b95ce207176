"""Queries over bundles in SQL, with DuckDB."""
