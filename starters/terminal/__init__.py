"""What every command does at the terminal: options, tables, logs, Ctrl-C and the exit status."""
