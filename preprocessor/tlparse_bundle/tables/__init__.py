"""The tables of a log: a module for each table or group of tables."""
