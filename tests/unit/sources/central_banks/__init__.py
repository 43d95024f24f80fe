"""What the server `central_banks` reads besides its tables."""
