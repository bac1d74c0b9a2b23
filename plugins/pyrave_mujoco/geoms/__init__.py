"""Shapes as geoms of MuJoCo, and what may touch what, and how."""
