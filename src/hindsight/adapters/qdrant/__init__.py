"""Vectors in Qdrant, beside the store that remains the truth."""
