"""A stock's episode: its steps, its blackboard, its record."""
