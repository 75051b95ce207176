"""What a language model may ask of bundles."""
