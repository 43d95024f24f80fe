"""The parts that the workflows of all programs share: the agent loop, tool calls, reassignment,
judging, publishing."""
