"""Tests of week, question, swarm and episode."""
