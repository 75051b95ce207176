"""Bundles and viewers for browsers: what the server and published folders share."""
