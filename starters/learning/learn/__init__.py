"""`desk learn`."""
