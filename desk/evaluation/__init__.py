"""Tasks with known answers on frozen evidence, and the scoring of a desk's answers to them."""
