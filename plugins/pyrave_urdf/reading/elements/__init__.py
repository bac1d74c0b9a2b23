"""Elements of URDF, each in a module of its name."""
