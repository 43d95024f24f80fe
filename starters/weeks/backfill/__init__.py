"""`desk backfill`."""
