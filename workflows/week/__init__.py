"""The research of a week, and of each of its markets."""
