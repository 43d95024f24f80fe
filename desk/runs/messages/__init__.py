"""A run's history as the messages between its agents."""
