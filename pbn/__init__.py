"""Worlds whose probabilities are known exactly."""
