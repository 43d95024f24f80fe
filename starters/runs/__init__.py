"""Runs on the server: choosing, starting, following and summing them up, for every command."""
