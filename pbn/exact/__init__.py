"""Exact answers: planned variable elimination over tables and index maps."""
