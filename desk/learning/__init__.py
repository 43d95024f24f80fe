"""What the desk learns from how its forecasts and its work came out."""
