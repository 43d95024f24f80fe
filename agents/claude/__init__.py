"""Analysts that ask Claude: what it is asked, and how its answer is read. No call is made here."""
