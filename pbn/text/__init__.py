"""Memos: a case as text, back to its attributes, and the proof that nothing leaks and nothing is lost."""
