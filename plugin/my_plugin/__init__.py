"""Plug-in for tlparse-bundle that shows the steps of my program."""
