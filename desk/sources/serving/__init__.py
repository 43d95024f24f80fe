"""What all servers of the desk have in common."""
