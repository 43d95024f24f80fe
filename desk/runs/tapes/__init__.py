"""A run kept whole, to be played without a network."""
