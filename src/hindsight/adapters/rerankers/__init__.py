"""Cross-encoders that reorder the best candidates: local packages and remote endpoints."""
