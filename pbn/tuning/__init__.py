"""Worlds tuned: a number swept over values, and what reaches a wanted Bayes error."""
