"""What the analysts that are Claude share."""
