"""`desk episodes`."""
