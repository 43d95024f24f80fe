"""`desk ask`."""
