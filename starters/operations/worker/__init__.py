"""`desk worker`."""
