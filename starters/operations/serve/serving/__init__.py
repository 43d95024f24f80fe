"""What all pages of `desk serve` rest on: who gets in, the desk that is asked, the templates."""
