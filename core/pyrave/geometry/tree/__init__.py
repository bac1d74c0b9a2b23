"""Bounding-volume trees over boxes: of a mesh's triangles, of a scene's instances."""
