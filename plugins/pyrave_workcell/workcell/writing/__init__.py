"""Writes WorkCells: bodies to frames first, then their order, then the elements."""
