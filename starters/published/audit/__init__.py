"""`desk audit`."""
