"""`desk audit`: a published report or answer, verified from its evidence alone."""
