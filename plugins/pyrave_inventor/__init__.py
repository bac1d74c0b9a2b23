"""Inventor and VRML meshes: both encodings of Inventor, VRML 1.0 and VRML 97.

A file goes through three stages: `document` finds out what it is and inflates it,
`text` or `binary` makes a tree of nodes by the table in `schema`, and `traversal`
walks the tree with the state of `state` and hands triangles to `mesh_builder`.
"""
