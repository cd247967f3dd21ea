"""One file a format: each reads a source as a stream of entries and writes nothing."""
