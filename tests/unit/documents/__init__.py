"""Tests of reports and answers."""
