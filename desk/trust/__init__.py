"""What may be printed, and the rules that decide it."""
