"""Runs on the server, for every command: choosing, starting, following and summarising them."""
