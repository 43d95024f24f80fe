"""Verifies a published report from the report alone."""
