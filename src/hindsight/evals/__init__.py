"""Measurements through the public interface: what a user's own program would see."""
