"""Scenes between files, descriptions and the objects of an environment."""
