"""How claims are made from measurements, and what is checked of each."""
