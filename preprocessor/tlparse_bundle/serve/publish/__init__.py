"""Sites, exported files, folders of comparisons, forks of viewers."""
