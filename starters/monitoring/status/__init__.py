"""`desk status`."""
