"""The analysts of the week as tasks of Claude."""
