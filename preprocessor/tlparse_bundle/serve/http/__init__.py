"""The HTTP server: application, access control, streaming."""
