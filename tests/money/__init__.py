"""Kills of a desk whose model bills every request: what was allowed, billed and told."""
