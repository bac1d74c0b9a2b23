"""Singular poses of any loop."""
