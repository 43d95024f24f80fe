"""A question, answered by a graph of agents."""
