"""The analysts of the week, asked of Claude."""
