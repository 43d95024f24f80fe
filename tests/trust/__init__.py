"""What shows that a report can be trusted: seeded errors and conflicts, counted."""
