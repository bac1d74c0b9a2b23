"""What comes back of a scanner's rays, in compiled loops."""
