"""The providers, one or a few to a module."""
