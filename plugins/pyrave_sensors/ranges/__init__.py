"""What scanners are made of: rays on the move, noise, light, settings."""
