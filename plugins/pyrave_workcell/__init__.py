"""RobWork's scenes: WorkCells and Dynamic WorkCells."""
