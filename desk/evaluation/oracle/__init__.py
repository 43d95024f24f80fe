"""What is known of prices and rates, read from the packaged tables and computed apart from the
desk: none of its formulas is used."""
