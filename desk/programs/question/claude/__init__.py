"""The analysts of a question, asked of Claude."""
