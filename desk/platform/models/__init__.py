"""Asking Claude, and what it costs."""
