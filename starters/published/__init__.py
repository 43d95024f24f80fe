"""Commands on published documents: `desk report`, `desk archive` and `desk audit`."""
