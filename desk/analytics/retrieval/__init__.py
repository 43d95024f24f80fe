"""Retrieves texts by their words, by their meaning, and by both."""
