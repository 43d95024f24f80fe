"""A campaign of faults: what the desk does when its surroundings misbehave, seen from outside."""
