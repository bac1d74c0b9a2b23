"""Arms with one joint to spare: their curves of solutions."""
