"""An answer, compiled of what the graph's agents found."""
