"""What may be printed, and what decides it."""
