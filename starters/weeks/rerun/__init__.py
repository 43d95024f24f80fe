"""`desk rerun`."""
