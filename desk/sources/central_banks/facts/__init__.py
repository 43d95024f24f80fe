"""What is known of central banks from the tables of this folder, each row of which names its source."""
