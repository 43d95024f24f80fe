"""An agent's work: its assignment, its turns, its calls, what it may spend."""
