"""`desk doctor`: checks of everything that the desk needs."""
