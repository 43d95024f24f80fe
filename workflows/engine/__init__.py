"""What every program runs on: the agent loop, tools, hand-ons, judgements, publishing."""
