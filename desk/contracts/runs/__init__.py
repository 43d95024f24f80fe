"""The requests, statuses and results of runs, of their tasks and of their turns.

This package may import every other package of contracts; none of them imports it.
"""
