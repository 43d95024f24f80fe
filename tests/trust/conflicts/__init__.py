"""Conflicts between findings whose outcome is known."""
