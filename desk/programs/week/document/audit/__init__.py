"""Verifying a published report from itself."""
