"""Tests of the models that cross a wire."""
