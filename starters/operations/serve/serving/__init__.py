"""What all pages of `desk serve` share: access control, the desk, the templates."""
