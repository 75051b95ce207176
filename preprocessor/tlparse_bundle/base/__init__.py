"""What every room may use: errors, diagnostics, words, plug-ins, signals, remote files."""
