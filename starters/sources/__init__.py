"""Commands about the sources: what their tools offer, and how current what they keep is."""
