"""A stock's episode: its steps, its blackboard and its record."""
