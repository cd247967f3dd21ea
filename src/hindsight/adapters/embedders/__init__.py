"""Texts to vectors: the bundled multilingual model, a small fallback, local packages and remote endpoints."""
