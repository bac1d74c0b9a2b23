"""Dynamic WorkCells: bodies, devices, materials and constraints of a WorkCell."""
