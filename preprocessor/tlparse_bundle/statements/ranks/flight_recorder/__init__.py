"""Flight Recorder dumps, joined to the logs: which call each rank is in, and whose code made it."""
