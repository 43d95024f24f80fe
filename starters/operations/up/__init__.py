"""`desk up`, and the serving that `desk worker` shares."""
