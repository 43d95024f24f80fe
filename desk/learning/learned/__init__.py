"""What is known of agents, sources and patterns from all runs."""
