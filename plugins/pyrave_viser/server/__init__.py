"""The server of a viewer: where it listens, and who may say what to it."""
