"""Robots with manipulators, attached sensors and connected bodies."""
