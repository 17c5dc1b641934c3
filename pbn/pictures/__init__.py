"""Drawings of worlds: who depends on whom, and what a level shows of it."""
