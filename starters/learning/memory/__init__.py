"""`desk memory`."""
