"""The leader and specialists as tasks for Claude."""
