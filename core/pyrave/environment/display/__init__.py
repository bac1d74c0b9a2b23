"""Pictures, viewers and recordings of an environment."""
