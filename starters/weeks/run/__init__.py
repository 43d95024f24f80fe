"""`desk run`."""
