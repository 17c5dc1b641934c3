"""Anybody's predictions against the truth of a data set: read, matched, scored, tested for leaks, compared."""
