"""The notebooks of examples/, executed as their readers execute them."""
