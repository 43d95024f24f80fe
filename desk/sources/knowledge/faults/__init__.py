"""Faults that the server `knowledge` shows when it is told to."""
