"""The state of a swarm's run: its board, tasks, graph, memories and costs."""
