"""The analysts of an episode, asked of Claude."""
