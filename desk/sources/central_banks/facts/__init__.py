"""Tables of facts about central banks. Each row names its source."""
