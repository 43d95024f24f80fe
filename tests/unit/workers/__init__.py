"""Tests of hosting and what watches it."""
