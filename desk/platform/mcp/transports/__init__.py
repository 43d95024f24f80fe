"""The ways to reach a server: over HTTP, over pipes, in this process."""
