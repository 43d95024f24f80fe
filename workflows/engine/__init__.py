"""What the workflows of every program share: the agent loop, tool calls, reassignment, judging,
publishing."""
