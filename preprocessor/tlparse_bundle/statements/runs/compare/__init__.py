"""What changed from one run to another."""
