"""Questions with known answers over a corpus that is made for them by a seed."""
