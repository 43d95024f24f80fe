"""`desk swarm`."""
