"""`desk schedule`."""
