"""Every way in which a plugin can be wrong, each in a module of its own."""
