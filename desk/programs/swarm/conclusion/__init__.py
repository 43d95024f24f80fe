"""What the built-in leader concludes of the findings."""
