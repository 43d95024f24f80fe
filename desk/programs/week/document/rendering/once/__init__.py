"""The parts that a report prints only once: a decision in one section, a gap for all banks
together."""
