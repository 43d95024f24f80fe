"""How a desk grows: weeks of 38 to 2,000 markets, measured, and the law that they follow."""
