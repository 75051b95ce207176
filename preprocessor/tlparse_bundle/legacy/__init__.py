"""Files of a tlparse report, from a bundle."""
