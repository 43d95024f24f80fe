"""The leader and specialists, asked of Claude."""
