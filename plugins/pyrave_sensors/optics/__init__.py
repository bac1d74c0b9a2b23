"""Parts of cameras: lenses, exposure, images, settings."""
