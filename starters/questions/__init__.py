"""Commands that ask for an answer: `desk ask`, `swarm`, `stock` and `graph`."""
