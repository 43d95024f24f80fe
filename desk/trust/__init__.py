"""The rules that decide what may be printed."""
