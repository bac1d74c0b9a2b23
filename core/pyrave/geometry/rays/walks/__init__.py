"""Walks of single rays through a scene and its meshes."""
