"""The documentation as its readers find it: as a site, and in the repository."""
