"""Loops over many configurations of an arm, on arrays alone."""
