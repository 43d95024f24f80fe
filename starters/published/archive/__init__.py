"""`desk archive`."""
