"""The server `analysis`: figures computed from prices and accounts."""
