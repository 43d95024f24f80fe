"""The episode of a stock."""
