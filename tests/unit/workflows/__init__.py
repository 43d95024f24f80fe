"""Tests of the workflows' own code."""
