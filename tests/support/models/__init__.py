"""Models behind sockets, and what scripted ones say."""
