"""The definitions behind every number that anybody sees: compile, attempt, status, time, count."""
