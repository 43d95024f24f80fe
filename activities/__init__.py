"""Every effect: turns, tool calls, judgements, publishing, delivery, memory and learning."""
