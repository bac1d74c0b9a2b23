"""Mesh formats: STL, OBJ, PLY, OFF, AC3D and 3DS; glTF and COLLADA by trimesh.

Each module holds one format. A mesh file is also a scene of one body (`scene`).
"""
