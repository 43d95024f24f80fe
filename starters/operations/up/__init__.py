"""`desk up` and `desk worker`."""
