"""A file of COLLADA: bytes, archives, XML, numbers, references. It knows no robots."""
