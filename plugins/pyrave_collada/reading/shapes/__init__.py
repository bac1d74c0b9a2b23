"""Visual scenes: nodes, their geometries and materials."""
