"""`desk refresh`."""
