"""The weekly schedule, and the weeks before it."""
