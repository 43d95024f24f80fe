"""The judgement of turns, and of the results of markets, swarms and episodes."""
