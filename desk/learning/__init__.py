"""Lessons from the outcomes of the desk's forecasts and of its work."""
