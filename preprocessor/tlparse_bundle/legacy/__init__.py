"""The files of a tlparse report, from a bundle."""
