"""Predictors: what is fitted to cases and their labels, and what knows the truth."""
