"""Logs, metrics and traces, and what is left out of them."""
