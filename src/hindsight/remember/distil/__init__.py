"""Distilling: what of a conversation is worth keeping, each as one self-contained statement. By rules, or by a chat model."""
