"""The server `knowledge` for tests: its corpus, its process, its faults."""
