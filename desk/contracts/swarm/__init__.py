"""A swarm's plan, rounds and record."""
