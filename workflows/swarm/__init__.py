"""A swarm: its rounds, its specialists, and the hypotheses that wait for their horizon."""
