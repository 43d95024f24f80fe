"""`desk scorecard`."""
