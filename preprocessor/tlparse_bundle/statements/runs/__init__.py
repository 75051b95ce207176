"""What two or many runs say: compare, trend, check."""
