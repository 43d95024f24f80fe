"""The progress of an episode, and its next task."""
