"""Examples of motions: planned, constrained, along paths."""
