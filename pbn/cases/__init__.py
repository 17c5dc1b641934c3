"""Data sets: cases drawn exactly from a world's law, each a function of its row number."""
