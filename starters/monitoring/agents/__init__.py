"""`desk agents`."""
