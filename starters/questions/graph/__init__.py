"""`desk graph`."""
