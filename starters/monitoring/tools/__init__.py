"""`desk tools`."""
