"""The analysts of an episode as tasks of Claude."""
