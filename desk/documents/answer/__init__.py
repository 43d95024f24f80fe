"""Answers, compiled from what a graph's agents found."""
