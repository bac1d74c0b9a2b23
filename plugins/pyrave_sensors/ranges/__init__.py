"""Parts of scanners: rays on the move, noise, light, settings."""
