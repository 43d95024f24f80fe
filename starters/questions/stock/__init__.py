"""`desk stock`."""
