"""The embedded Temporal server."""
