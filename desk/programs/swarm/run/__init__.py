"""How far a swarm is, who works on it next, and what it costs."""
