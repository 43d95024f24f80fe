"""The state of a swarm's run: its board, its tasks, its graph, its memories and its costs."""
