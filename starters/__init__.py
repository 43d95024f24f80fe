"""The `desk` command: one module or folder for each command, and the modules that they share."""
