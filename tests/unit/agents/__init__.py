"""Tests of the registry of tasks and the roster."""
