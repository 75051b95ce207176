"""Sites, exported files, comparison folders, forks of viewers."""
