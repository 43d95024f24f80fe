"""Graphs of agents: their checks, their conditions, and what is due next."""
