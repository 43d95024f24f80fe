"""Tests of the episode as an environment."""
