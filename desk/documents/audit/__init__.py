"""Verifies published documents from themselves."""
