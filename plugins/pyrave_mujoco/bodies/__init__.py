"""Bodies in a model of MuJoCo: how they are written, and where their state is."""
