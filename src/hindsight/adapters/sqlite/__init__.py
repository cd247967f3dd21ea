"""Memories in one SQLite file: records, full text, vectors, history, jobs; several processes at once."""
