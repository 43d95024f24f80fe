"""A week's report, compiled of what its markets came to."""
