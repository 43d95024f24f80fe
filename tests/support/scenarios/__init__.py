"""What scenarios are played with: a desk of several processes, its network, its histories."""
