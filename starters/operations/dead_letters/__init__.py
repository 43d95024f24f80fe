"""`desk dead-letters`."""
