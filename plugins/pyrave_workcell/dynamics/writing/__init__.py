"""Writes Dynamic WorkCells about WorkCells that are written next to them."""
