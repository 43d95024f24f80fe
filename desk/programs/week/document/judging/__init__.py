"""What of the markets' findings may be printed."""
