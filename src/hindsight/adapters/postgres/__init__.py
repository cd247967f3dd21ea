"""Memories in PostgreSQL: several processes and machines on one database."""
