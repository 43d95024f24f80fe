"""The workflow types, by program, and what they share. They order, wait and count."""
