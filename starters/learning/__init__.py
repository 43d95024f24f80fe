"""Commands on what the desk has learned: forecasts, hypotheses, the memory and episodes."""
