"""Functions of the module: rotations, boxes, and those whose names begin with Rave."""
