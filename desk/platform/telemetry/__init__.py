"""Logs, traces and what is kept out of them."""
