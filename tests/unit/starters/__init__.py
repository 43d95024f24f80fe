"""Tests of the `desk` command."""
