"""A question's graph of agents and its answer."""
