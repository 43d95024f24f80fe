"""Whether a claim follows from the evidence that it names."""
