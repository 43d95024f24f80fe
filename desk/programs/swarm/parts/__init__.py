"""The tasks, signals and views of specialists, and what they cost."""
