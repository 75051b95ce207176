"""The commands: words, options, exit codes and progress; no logic."""
