"""`desk doctor`."""
