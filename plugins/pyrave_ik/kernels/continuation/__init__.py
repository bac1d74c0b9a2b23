"""Joint paths by continuation: predictor and corrector along a path of goals."""
