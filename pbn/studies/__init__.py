"""The published tables and figures that need no other model, ours beside theirs: one file a study."""
