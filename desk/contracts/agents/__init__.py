"""An agent's work: its assignment, turns, tool calls and spending limits."""
