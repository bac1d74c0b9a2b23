"""What cameras are made of: lenses, exposure, images, settings."""
