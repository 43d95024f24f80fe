"""Questions with known answers about a corpus that is generated from a seed."""
