"""The pages of `desk serve`, a module for each of their kinds."""
