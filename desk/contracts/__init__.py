"""The typed models that cross a wire: workflow payloads, published files, tool answers."""
