"""What a run teaches, told once."""
