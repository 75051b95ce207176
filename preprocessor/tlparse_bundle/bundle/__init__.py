"""The bundle format: layout, schemas, codecs, readers and validation."""
