"""The research of a stock, step by step, with an evaluation against what happened."""
