"""The judgement on a turn, and on what a market, a swarm or an episode came to."""
