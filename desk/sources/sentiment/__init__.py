"""The server `sentiment`: the tone of headlines."""
