"""The activities, which have all effects: turns, tool calls, judgements, publishing, delivery,
memory and learning."""
