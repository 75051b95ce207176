"""Steps of my program, for tlparse-bundle."""
