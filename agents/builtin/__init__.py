"""Analysts that need no model: deterministic, free, pure functions of what the tools returned."""
