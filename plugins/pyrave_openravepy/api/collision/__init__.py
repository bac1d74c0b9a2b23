"""Collision queries with their reports, checkers and saved options."""
