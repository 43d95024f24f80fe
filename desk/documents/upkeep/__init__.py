"""How long what is published is kept, and where it is delivered."""
