"""Accessibility of the published pages by axe-core, which is no part of the suite: `make axe`."""
