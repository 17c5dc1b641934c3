"""Discrete Bayesian networks with exact probabilities and deterministic nodes."""
