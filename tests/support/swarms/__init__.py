"""Swarms for tests: requests, runs, reports."""
