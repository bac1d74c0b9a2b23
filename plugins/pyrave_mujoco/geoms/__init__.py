"""Shapes as geoms of MuJoCo, and contacts between them."""
