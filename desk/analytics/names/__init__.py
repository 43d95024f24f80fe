"""Names of markets, of instruments and of what headlines are about."""
