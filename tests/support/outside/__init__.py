"""What the desk meets outside itself: addresses, mail, browsers."""
