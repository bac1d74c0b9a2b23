"""Ray kernels: exact primitives, watertight triangles, two-level casts."""
