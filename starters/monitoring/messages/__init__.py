"""`desk messages`."""
