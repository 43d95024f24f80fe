"""Tests of the engine's logic."""
