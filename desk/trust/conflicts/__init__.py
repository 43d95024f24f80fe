"""What contradicts what, and which side holds."""
