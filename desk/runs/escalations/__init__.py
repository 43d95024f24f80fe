"""A conflict as a person is shown it."""
