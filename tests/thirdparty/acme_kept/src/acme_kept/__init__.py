"""One of everything that a plugin of pyrave can have, as it was with pyrave 0.2."""
