"""What the desk learns from the outcomes of its forecasts and of its work."""
