"""`desk tape`."""
