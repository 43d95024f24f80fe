"""Words, links and drawings of the published pages."""
