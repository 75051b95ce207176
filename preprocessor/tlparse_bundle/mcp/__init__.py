"""The MCP server: read-only tools about bundles for language models."""
