"""Policies held against later dates."""
