"""What was measured of markets, as it answers a question."""
