"""Tries policies on later dates than those they were chosen on."""
