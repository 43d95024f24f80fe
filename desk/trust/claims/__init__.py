"""Makes claims from measurements, and checks each."""
