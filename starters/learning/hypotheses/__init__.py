"""`desk hypotheses`."""
