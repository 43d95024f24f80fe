"""The desk in Python."""
