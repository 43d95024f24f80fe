"""The pages of `desk serve`, a module for each kind."""
