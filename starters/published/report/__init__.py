"""`desk report`."""
