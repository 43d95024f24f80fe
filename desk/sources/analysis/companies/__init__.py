"""Companies' accounts."""
