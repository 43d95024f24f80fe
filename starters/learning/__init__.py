"""Commands on what the desk learned: forecasts, hypotheses, the memory and episodes."""
