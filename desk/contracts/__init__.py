"""The typed models of everything that crosses a process boundary: workflow payloads, published
files and tool answers."""
