"""`desk cleanup`."""
