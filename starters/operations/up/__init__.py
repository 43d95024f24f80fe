"""`desk up`, and the serving that it shares with `desk worker`."""
