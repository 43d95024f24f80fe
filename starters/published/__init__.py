"""Commands on what is published: `desk report`, `desk archive` and `desk audit`."""
