"""`desk escalations`."""
