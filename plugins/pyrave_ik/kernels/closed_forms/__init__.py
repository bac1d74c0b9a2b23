"""Loops of special geometry, solved in closed form."""
