"""Bodies: `KinBody` with links, geometries and joints, their infos and savers."""
