"""Which of the markets' findings may be printed."""
