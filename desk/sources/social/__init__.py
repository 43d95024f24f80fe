"""The server `social`: posts about a market in public social feeds."""
