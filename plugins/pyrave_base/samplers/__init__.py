"""Space samplers: of cubes, grids and configurations of bodies."""
