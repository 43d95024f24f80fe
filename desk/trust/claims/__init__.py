"""How claims are made of measurements, and what is checked of each."""
