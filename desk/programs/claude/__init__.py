"""What analysts that are Claude have in common."""
