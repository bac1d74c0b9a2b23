"""Triangle meshes against meshes, convex solids and planes."""
