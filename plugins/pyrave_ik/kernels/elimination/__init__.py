"""Loops of any geometry, solved by elimination of variables."""
