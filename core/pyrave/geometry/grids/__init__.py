"""Points that cover spheres, rotations and boxes evenly; no robot is known here."""
