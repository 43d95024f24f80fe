"""What the tables of this folder say of central banks; each row names its source."""
