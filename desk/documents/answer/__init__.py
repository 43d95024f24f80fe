"""Answers, compiled from the results of a graph's agents."""
