"""Tasks with known answers, on frozen evidence, and what a desk's answers to them are worth."""
