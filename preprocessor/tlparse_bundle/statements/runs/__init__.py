"""Comparisons, trends and checks of runs."""
