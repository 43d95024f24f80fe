"""What the forms of a report tell once: a decision in one section, a gap for all banks together."""
