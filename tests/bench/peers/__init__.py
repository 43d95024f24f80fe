"""The desk's engine beside those of others, on the graph of one week whose steps are empty."""
