"""Nodes of the scene in the browser that show an environment."""
