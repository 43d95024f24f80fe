"""Orchestration only: one workflow a file, and the agent loop that they share."""
