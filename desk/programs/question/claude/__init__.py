"""The analysts of a question as tasks for Claude."""
