"""Runs in the process of the test: workers, scripted agents and tools, and what holds them up."""
