"""Which branch of its loop's solutions a solution is on."""
