"""The `desk` command: a folder for each command, and what they share."""
