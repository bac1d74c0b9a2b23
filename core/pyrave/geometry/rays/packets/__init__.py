"""Walks of many rays at once that start at one point."""
