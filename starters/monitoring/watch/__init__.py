"""`desk watch`."""
