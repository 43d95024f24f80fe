"""What every command shares at the terminal: options, tables, logs, Ctrl-C and the exit status."""
