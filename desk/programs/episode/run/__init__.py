"""How far an episode is, and who works on it next."""
