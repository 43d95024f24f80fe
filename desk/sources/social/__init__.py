"""The server `social`: what is said of a market in public social feeds."""
